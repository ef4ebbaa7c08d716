/**
 * What a link of the local socket may do, by who holds it: a process outside every session everything, one inside a session
 * look and nothing else, whatever it says of itself. Who cannot show which process it is counts as inside. Loaded when a
 * link first asks for more than to look.
 */
import type { Access, Principal, Trust } from '../contract/index.js';
import { insideOf } from '../proc/inside.js';
import { bears, proofName } from '../proc/peer.js';
import { systemTable } from '../terminal/index.js';
import { isMember } from './agent-process.js';
import type { Parent } from './parent.js';

/** As it came over the link. */
export interface CallerClaim {
  pid?: unknown;
  start_ticks?: unknown;
}

export interface JudgedCaller extends Access {
  /** False: it may have been a moment's bad luck, and is worth another try. */
  shown: boolean;
}

/** Where the system does not tell about processes, a process is believed who it is: see docs/security.md. */
const TELLS = process.platform === 'linux';

interface CallerAsk {
  session: string;
  challenge: string;
  who: Principal;
  /** The session inside which this one was started, where that is certain. */
  parent?: Pick<Parent, 'session' | 'isOwn'> | undefined;
}

export function judge(claim: CallerClaim, ask: CallerAsk): JudgedCaller {
  const { session, challenge, who, parent } = ask;
  const pid = Number(claim.pid);
  const startTicks = Number(claim.start_ticks);
  if (!Number.isSafeInteger(pid) || pid <= 0) return refused('it named no process', { name: 'nobody', shown: false });
  const name = proofName(session, challenge);
  const words = `process ${pid} (${systemTable.command(pid)})`;
  if (TELLS && (name === undefined || !bears({ pid, startTicks }, name)))
    return refused(`it did not show that it is ${words}`, { name: `who says to be process ${pid}`, shown: false });
  const inside = insideOf(pid, { isMember, ...(TELLS ? {} : { row: systemTable.row }) });
  if (!inside) return { who, may: 'admin', shown: true };
  if (TELLS && parent?.isOwn(pid)) {
    const why = `it is a process of ${parent.session}, inside which this session was started`;
    return { ...refused(why, { name: words, shown: true }), parent: parent.session };
  }
  const whose = inside.session ? `, session ${inside.session}` : '';
  return refused(`${words} ${inside.why}${whose}; from there nobody answers, types or stops`, {
    name: words,
    shown: true,
  });
}

/** The run that began this host, at the other end of a pipe: for an agent's session it must be outside as well. */
export function judgeStarter(who: Principal, trust: Trust): Access {
  // Under full trust nobody is asked, and so nobody can be answered.
  if (trust === 'full' || !insideOf(process.ppid)) return { who, may: 'admin' };
  return {
    who: { kind: 'program', name: 'the run that began it' },
    may: 'view',
    own: true,
    why: 'it was itself started inside a session',
  };
}

const refused = (why: string, { name, shown }: { name: string; shown: boolean }): JudgedCaller => ({
  who: { kind: 'program', name },
  may: 'view',
  why,
  shown,
});
