/** What a session's journal says about its conversation: which one `--continue` takes up. */
import type { Entry } from '../../contract/index.js';
import { ofTypes } from '../../journal/journal.js';

/** A notice with this code names the conversation anew: the agent chose the name, or `/clear` began another. */
export const CONVERSATION = 'conversation';

export function conversationIn(entries: Iterable<Entry>): string | undefined {
  let last: string | undefined;
  for (const entry of ofTypes(entries, ['agent.started', 'agent.ended', 'notice'])) last = named(entry) ?? last;
  return last;
}

function named(entry: Entry): string | undefined {
  if (entry.type === 'agent.started' || entry.type === 'agent.ended') return entry.data.agent_session;
  if (entry.type !== 'notice' || entry.data.code !== CONVERSATION) return undefined;
  const id = entry.data.facts?.agent_session;
  return typeof id === 'string' ? id : undefined;
}
