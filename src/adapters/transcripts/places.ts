/** Where each agent keeps its transcripts, and which of the files there belongs to a launch. Knows names, opens nothing. */
import { basename, dirname, join } from 'node:path';
import type { LaunchAsk, Transcript } from '../adapter.js';
import { claudeTranscript } from './claude.js';
import { codexTranscript, isCodexRollout } from './codex.js';
import { geminiTranscript, isGeminiChat } from './gemini.js';

/** Named by its id in a folder per project, whose name is best not computed; sub-agents in a folder beside it. */
export function claudeTranscripts(given: { configDir: string; conversation: string | undefined }): Transcript {
  const place = (id: string) => ({ dir: join(given.configDir, 'projects'), depth: 1, name: exactly(`${id}.jsonl`) });
  return {
    place: place(given.conversation ?? ''),
    // `/clear` begins a new file, and the process says so in its status file.
    note: { file: (pid) => join(given.configDir, 'sessions', `${pid}.json`), conversation: sessionIn, place },
    beside: (path) => ({
      dir: join(dirname(path), basename(path, '.jsonl'), 'subagents'),
      depth: 0,
      name: /^agent-[\w-]+\.jsonl$/,
    }),
    reader: ({ since }) => claudeTranscript({ since }),
  };
}

/** `sessions/YYYY/MM/DD/rollout-<time>-<id>.jsonl`: a new one is known by what its first line says. */
export function codexTranscripts(given: {
  env: LaunchAsk['env'];
  conversation: string | undefined;
  /** Its server writes it, which calls all who come over its socket so. */
  source?: 'vscode';
}): Transcript {
  const home = given.env.CODEX_HOME ?? join(given.env.HOME ?? '', '.codex');
  const { conversation, source = 'cli' } = given;
  const owns = (head: string, about: { cwd: string; since: number }) => isCodexRollout(head, { ...about, source });
  const place = { dir: join(home, 'sessions'), depth: 3 };
  const begun = { ...place, name: /^rollout-.*\.jsonl$/, owns, changes: true };
  const reader = () => codexTranscript();
  if (conversation === undefined) return { place: begun, reader };
  const resumed = { ...place, name: new RegExp(`^rollout-.*-${escaped(conversation)}\\.jsonl$`) };
  return { place: resumed, next: begun, reader };
}

/** `tmp/<project>/chats/session-<minute>-<first eight of the id>.jsonl`; undefined without an id to look for. */
export function geminiTranscripts(given: {
  env: LaunchAsk['env'];
  conversation: string | undefined;
}): Transcript | undefined {
  const { conversation } = given;
  if (conversation === undefined) return undefined;
  const home = given.env.GEMINI_CLI_HOME ?? given.env.HOME ?? '';
  return {
    place: {
      dir: join(home, '.gemini', 'tmp'),
      depth: 2,
      name: new RegExp(`^session-.*-${escaped(conversation.slice(0, 8))}\\.jsonl$`),
      owns: (head) => isGeminiChat(head, conversation),
    },
    reader: () => geminiTranscript(),
  };
}

/** `{"pid":25086,"sessionId":"60de…","status":"idle",…}` */
function sessionIn(content: string): string | undefined {
  try {
    const { sessionId } = JSON.parse(content) as { sessionId?: unknown };
    return typeof sessionId === 'string' && /^[\w-]+$/.test(sessionId) ? sessionId : undefined;
  } catch {
    return undefined; // It is rewritten in place; half a file says nothing.
  }
}

const escaped = (text: string): string => text.replace(/[^\w-]/g, '\\$&');
const exactly = (name: string): RegExp => new RegExp(`^${escaped(name)}$`);
