/**
 * The sessions of this machine: found, listed, told, started, ended. Whoever stands above (command line, library, MCP
 * server, hub) uses this room and the commands of the contract. It writes to no standard stream and asks nobody: what it
 * has to tell comes back as a value, or goes through a small port.
 *
 * Its shape. `where` is `{env, cwd, version}`: the environment is the agent's too. A `Seat` says where the caller sits;
 * `UNSEEN` is that of a program. `ports` (`tell`, `mayFollow`, `mayStart`) may be left out: then nobody is told or asked.
 *
 *     startSession(where, {backend, prompt, mode, cwd, trust, …} | {argv, io, …}, seat, {ports}) → {place, spec}   run.ts
 *     continueSession(where, place, seat, {ask, ports}) → {place, spec, since, changes}                                    run.ts
 *     loginWhere(where, {log}) → where, with the environment of the user's login shell (for who is not started from it)  run.ts
 *     removeSession(where, place)                                                                                  run.ts
 *     findSession(where, 'id, its beginning, or name') → place
 *     listed(where, {ended}) → {rows, odd};  rowOf(where, place) → row
 *     openInquiries(where) → {inquiries, silent}, of all sessions, also what was lost with its host
 *     keepAnswer(where, place, answer) → receipt: a person's answer to one that was lost
 *     tell(where, place, command, args) → result;  connectTo(where, place, incoming) → HostClient
 *     guideSession(where, place, text) → {id, iteration, kept?}: also for a loop that has ended
 *     stopSession(where, place, {how, why}) → {processes, left}
 *     watchSessions(where, {log, signal}) → news of all sessions as they happen: rows, inquiries, ends
 *
 * This face loads neither config nor agents. What needs them is behind run.ts; start.ts is for who must start fast.
 * @module
 */
export { catalog, livingPlaces } from './catalog.js';
export { endedRows } from './ended.js';
export { childrenOf } from './family.js';
export {
  connectTo,
  findSession,
  GREETING_MS,
  isStopped,
  type Listed,
  listed,
  rowFromFiles,
  rowOf,
  SILENT_DETAIL,
  tell,
  tellAs,
} from './find.js';
export { guideSession } from './guide.js';
export { keepAnswer, lostInquiries, lostOf, settledBefore } from './lost.js';
export { LOST_REASON as DIED_REASON } from './lost-end.js';
export { specOf } from './spec-file.js';
export { stopSession, whenLeft } from './stop.js';
export { foldSummary, type Summary, summaryOf } from './summary.js';
export { lostHost } from './sweep.js';
export { tellHostDied } from './tell-died.js';
export { openInquiries } from './waiting.js';
export { type SessionNews, watchSessions } from './watch.js';
export type { WatchPeople } from './watched-host.js';
export type { StartPlace, Where } from './where.js';
