/**
 * What one launch of an agent is lent. It keeps no journal of its own: what happens goes to `journal`, which is the
 * session's for its work, and somebody else's for an agent that is only consulted. So with `ask`, `state` and `seen`.
 */
import type { Sink } from '../../journal/journal.js';
import type { DoorPorts } from '../doors/door.js';
import type { WorkPorts } from '../modes/work.js';

export interface RunPorts
  extends Pick<
    WorkPorts,
    'spec' | 'dir' | 'env' | 'hook' | 'bin' | 'inside' | 'clock' | 'log' | 'start' | 'seen' | 'state'
  > {
  journal: Sink;
  /** Of a message of the session's queue. */
  keyOf?: WorkPorts['keyOf'];
  partial?: WorkPorts['partial'];
  used?: WorkPorts['used'];
  /** Who is asked when the agent waits for an answer. */
  ask: DoorPorts['ask'];
}

/** A launch for the session itself: its journal, its desk. */
export const ofSession = (ports: WorkPorts): RunPorts => ({ ...ports, ask: ports.desk.open.bind(ports.desk) });
