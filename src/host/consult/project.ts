/** The decisions of the project a folder belongs to, and how one is told to whoever reads it. */
import { type Env, nameOf } from '../../contract/index.js';
import { answerWords, type Decisions, openDecisions, projectAt, type Remembered } from '../../decisions/index.js';
import { stateDir } from '../../disk/index.js';
import { workingTreeOf } from '../../proc/repository.js';

export const decisionsAt = (cwd: string, env: Env): Decisions =>
  openDecisions({ stateDir: stateDir(env), project: projectAt(cwd, (folder) => workingTreeOf(folder)?.top) });

/** What was decided, with its origin: for a consultant's pack and for a person. One thing per line. */
export function decisionText(decision: Remembered): string {
  const { question, values, correction, by, model, confidence, reason, at, session } = decision;
  const origin = [
    `${nameOf(by)}${model === undefined ? '' : ` (${model})`}`,
    ...(confidence === undefined ? [] : [`confidence ${confidence}`]),
    `${at.slice(0, 16).replace('T', ' ')} in session ${session}`,
  ].join(', ');
  return [
    `question: ${question.text}`,
    ...(question.options.length > 0 ? [`options: ${question.options.map(({ label }) => label).join(' | ')}`] : []),
    `answer: ${answerWords(question, correction?.values ?? values).join(', ')}`,
    ...(correction
      ? [
          `corrected by a person on ${correction.at.slice(0, 16).replace('T', ' ')}${correction.reason === undefined ? '' : `: ${correction.reason}`}`,
          `before: ${answerWords(question, values).join(', ')}, by ${origin}`,
        ]
      : [`by: ${origin}`]),
    ...(reason === undefined ? [] : [`why: ${reason}`]),
  ].join('\n');
}
