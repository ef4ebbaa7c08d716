/**
 * A terminal program's conversation for the journal: its transcript is followed, what hooks tell is merged in, and the
 * agent's own name for the conversation is put on record as soon as it is known, because resuming needs it.
 */
import type { AgentOutput } from '../../contract/index.js';
import type { AgentTurn } from '../agent-turn.js';
import { Conversation } from '../conversation.js';
import type { Planned } from '../launch.js';
import type { WorkPorts } from '../modes/work.js';
import { SessionTranscript } from '../transcript.js';

export interface Recorded {
  /** From the door: what hooks said. */
  said(output: AgentOutput): void;
  /** A hook named the file. */
  transcript(path: string): void;
  /** Contract: resolves when everything written so far was told. */
  end(): Promise<void>;
}

export function recordConversation(given: {
  ports: WorkPorts;
  planned: Planned;
  /** The agent's processes. */
  pids(): number[];
  turn: AgentTurn;
  /** The launch, by our clock. */
  since: number;
  /** The agent has recorded this prompt as given to it. */
  prompted(text: string): void;
}): Recorded {
  const { ports, planned, turn, since } = given;
  const { clock, log, spec } = ports;
  const conversation = new Conversation({ clock, told: (output) => turn.said(output) });
  const face = planned.plan.tui?.transcript;
  if (!face) {
    return {
      said: (output) => conversation.heard(output),
      transcript: () => undefined,
      end: async () => conversation.end(),
    };
  }
  conversation.expectTranscript();
  const transcript = new SessionTranscript({
    transcript: face,
    cwd: spec.cwd,
    since,
    clock,
    pids: () => given.pids(),
    told: (output) => {
      if (output.kind === 'prompt') given.prompted(output.text);
      if (output.kind === 'conversation') turn.named(output.id);
      else conversation.recorded(output);
    },
  });
  return {
    said: (output) => conversation.heard(output),
    transcript: (path) => transcript.at(path),
    async end() {
      await transcript.end();
      conversation.end();
      log.log('info', 'transcript', { found: transcript.found, unknown_records: transcript.unknown });
    },
  };
}
