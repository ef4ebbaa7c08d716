/**
 * What was decided in a project, by whom and why: written down where no repository and no agent's edit counts, with a copy
 * in the project that people read.
 *
 *     projectAt(cwd, topOf) → which project a folder belongs to
 *     openDecisions({stateDir, project}) → { list, find, same, like, remember, used, revoke, correct }
 *     keyOf(question), valuesFor(decision, question): whether two questions are one, and what the old answer is in the new
 * @module
 */
export { type Project, projectAt } from './project.js';
export type { Correction, DecidedQuestion, Remembered, ToRemember } from './remembered.js';
export { answerWords, keyOf, valuesFor } from './same.js';
export { type Decisions, openDecisions, projectsKnown } from './store.js';
