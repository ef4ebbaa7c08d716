/**
 * What only a session with an agent has: a queue of messages, words while they are written, what was used, whom to consult.
 * One command has none of it, and its host does not load it.
 */
import type { ConsultantPorts } from './consult/consultant.js';
import { LazyConsultant } from './consult/lazy.js';
import { WordsSaid } from './last-words.js';
import { Messages, type MessagesPorts } from './messages.js';
import { PartialText } from './partial.js';
import type { SessionSpec } from './spec.js';
import { UsedSoFar } from './usage.js';
import type { Viewer } from './viewer.js';

export interface NeedsPorts {
  spec: SessionSpec;
  viewers: Iterable<Viewer>;
  messages: MessagesPorts;
  consulting: ConsultantPorts;
}

export interface AgentNeeds {
  messages: Messages;
  partial: PartialText;
  used: UsedSoFar;
  words: WordsSaid;
  consultant: LazyConsultant;
}

export function agentNeeds(ports: NeedsPorts): AgentNeeds {
  const { spec, viewers, consulting, messages } = ports;
  const { journal, clock, before, work } = messages;
  return {
    messages: new Messages(messages),
    partial: new PartialText({ clock, viewers, journal }),
    used: new UsedSoFar({ mode: spec.mode, before, journal, facts: () => work().facts() }),
    words: new WordsSaid({ before, journal }),
    consultant: new LazyConsultant(consulting),
  };
}
