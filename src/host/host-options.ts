/** What one session's host is composed of. */
import type { Clock, Entry, Log } from '../contract/index.js';
import type { Journal } from '../journal/journal.js';
import type { agentNeeds } from './agent-needs.js';
import type { StartAgent } from './agent-process.js';
import type { Answers } from './consult/answers.js';
import type { DeskPorts } from './desk.js';
import type { FoundAgain } from './lost-inquiries.js';
import type { Work, WorkPorts } from './modes/work.js';
import type { Parent } from './parent.js';
import type { SessionPolicy } from './policy.js';
import type { SessionSpec } from './spec.js';
import type { watchCalls } from './watch-calls.js';

export interface HostOptions extends Pick<WorkPorts, 'hook' | 'bin' | 'inside'> {
  spec: SessionSpec;
  dir: string;
  env: Record<string, string | undefined>;
  journal: Journal;
  /** What the journal already held: a session that is continued. */
  before: Iterable<Entry>;
  /** What an earlier host of it left open, where it is continued. */
  lost?: FoundAgain | undefined;
  /** The session above it, where that is certain. */
  parent?: Parent | undefined;
  clock: Clock;
  log: Log;
  work(ports: WorkPorts): Work;
  /** Real processes, unless a test of the work scripts its agent. */
  start?: StartAgent;
  /** What judges the agent: rules and tripwire; and what else an agent needs. One command asks nobody, and its host does not load them. */
  judging:
    | {
        policy: SessionPolicy;
        needs: typeof agentNeeds;
        watch: typeof watchCalls;
        stages: DeskPorts['stages'];
        answers?: Answers;
        /** By what somebody who is not there can be fetched. */
        reachable(): string | undefined;
      }
    | undefined;
}
