/**
 * The threads that others open on a codex app-server we share with its terminal program (`/new`, `/resume`, `/fork`, or
 * simply its start without a prompt): each is made to ask about everything and to ask us as well. Surprising: a thread
 * cannot be subscribed to before its first turn (`no rollout found`), but its settings can be changed from the start;
 * and the settings a person picks in that time (`/permissions`) are told to nobody, so they are checked when it moves.
 *   -> {"id":4,"method":"thread/settings/update","params":{"threadId":"01a1…","approvalPolicy":"untrusted",…}}
 *   -> {"id":5,"method":"thread/resume","params":{"threadId":"01a1…","excludeTurns":true}}
 */
import type { ProtocolStep } from '../adapter.js';
import { asList, asObject, asText, type Json, output } from './jsonl.js';

/** Every tool call is asked about, and a person is asked, not codex's own reviewer. */
export const ASK_US = { approvalPolicy: 'untrusted', approvalsReviewer: 'user' } as const;

/**
 * Every thread starts read-only and is widened then: of one that starts wide, codex notes in the user’s own config that
 * its folder is trusted.
 */
const WORKSPACE_WRITE = {
  type: 'workspaceWrite',
  writableRoots: [],
  networkAccess: false,
  excludeTmpdirEnvVar: false,
  excludeSlashTmp: false,
};

/** As wide as a thread that starts so: with what the user's own config says about that sandbox. */
function workspaceWrite(read: Json | undefined): Json {
  const own = asObject(asObject(read?.config)?.sandbox_workspace_write);
  return {
    ...WORKSPACE_WRITE,
    writableRoots: asList(own?.writable_roots).filter((root) => typeof root === 'string'),
    networkAccess: own?.network_access === true,
    excludeTmpdirEnvVar: own?.exclude_tmpdir_env_var === true,
    excludeSlashTmp: own?.exclude_slash_tmp === true,
  };
}

/** A working thread has its file within a few round trips of about 20 ms; then it is not going to have one. */
const MOST_TRIES = 100;

const SET_BACK = 'Codex was told to run tools without asking; this session is guarded, so it asks again.';
const HALTED = 'Codex began to work without asking; the turn was interrupted, and the next one asks.';

export interface CodexThreadPorts {
  /** `then` gets the result, or undefined for an error. */
  call(method: string, params: Json, then?: (result: Json | undefined) => ProtocolStep[]): ProtocolStep;
  /** A main thread is at work that was not ours. */
  joined(id: string): ProtocolStep[];
}

export interface CodexThreads {
  /** We started or resumed it ourselves; `then` goes on when it has its settings. */
  own(id: string, then: () => ProtocolStep[]): ProtocolStep[];
  read(method: string, params: Json): ProtocolStep[];
}

export function codexThreads({ call, joined }: CodexThreadPorts): CodexThreads {
  const watched = new Set<string>();
  /** Made for a title and the like: no tools, no file, nothing to subscribe to. */
  const passing = new Set<string>();
  const working = new Set<string>();
  const subscribing = new Set<string>();

  const guard = (id: string, more: Json = {}, then: () => ProtocolStep[] = () => []): ProtocolStep =>
    call('thread/settings/update', { threadId: id, ...ASK_US, ...more }, then);

  const halt = (id: string): ProtocolStep =>
    call('thread/turns/list', { threadId: id, limit: 1, sortDirection: 'desc' }, (result) => {
      const turn = asObject(asList(result?.data)[0]);
      if (turn?.status !== 'inProgress') return [];
      return [
        call('turn/interrupt', { threadId: id, turnId: turn.id }),
        output({ kind: 'error', message: HALTED, fatal: false }),
      ];
    });

  const subscribe = (id: string, tries = 0): ProtocolStep[] => {
    if (watched.has(id) || passing.has(id) || subscribing.has(id)) return [];
    subscribing.add(id);
    const done = (result: Json | undefined): ProtocolStep[] => {
      subscribing.delete(id);
      if (!result) return working.has(id) && tries < MOST_TRIES ? subscribe(id, tries + 1) : [];
      watched.add(id);
      const parent = asText(asObject(result.thread)?.parentThreadId);
      const steps = parent === undefined ? joined(id) : [];
      return asksUs(result) ? steps : [...steps, guard(id), halt(id)];
    };
    return [call('thread/resume', { threadId: id, excludeTurns: true }, done)];
  };

  const started = (thread: Json): ProtocolStep[] => {
    const id = asText(thread.id);
    if (id === undefined || watched.has(id)) return [];
    if (thread.ephemeral === true) {
      passing.add(id);
      return [];
    }
    return [guard(id, { sandboxPolicy: WORKSPACE_WRITE }), ...subscribe(id)];
  };

  return {
    own(id, then) {
      watched.add(id);
      // Without a folder: what the repository's own file says about the sandbox is not the user's word.
      return [call('config/read', {}, (read) => [guard(id, { sandboxPolicy: workspaceWrite(read) }, then)])];
    },
    read(method, params) {
      const id = asText(params.threadId);
      if (method === 'thread/started') return started(asObject(params.thread) ?? {});
      if (id === undefined) return [];
      if (method === 'thread/status/changed') {
        if (asObject(params.status)?.type === 'active') working.add(id);
        else working.delete(id);
        return subscribe(id);
      }
      if (method !== 'thread/settings/updated') return [];
      if (asksUs(asObject(params.threadSettings))) return [];
      return [guard(id), output({ kind: 'error', message: SET_BACK, fatal: false })];
    },
  };
}

const asksUs = (settings: Json | undefined): boolean =>
  settings?.approvalPolicy === ASK_US.approvalPolicy && settings.approvalsReviewer === ASK_US.approvalsReviewer;
