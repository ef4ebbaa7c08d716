/** Who answers, in words: the steps of a ladder as a sentence, and the kinds that have the same one told together. */
import { timeLeft } from '../../contract/index.js';
import type { RouteResult } from '../../contract/page.js';

type Policy = RouteResult<'policy'>;
type PolicyLadder = Policy['ladders'][number];
type LadderStep = PolicyLadder['steps'][number];

export const WHEN: [PolicyLadder['when'], string][] = [
  ['attached', 'When you are here'],
  ['reachable', 'When you can be fetched'],
  ['detached', 'When nobody is there'],
];

const KIND: Record<PolicyLadder['kind'], string> = {
  run: 'what an agent wants to do',
  question: 'what it asks you',
  deliver: 'what a call brought',
};

const DENIES = 'denies it, and tells the agent why';

export interface LadderLine {
  /** What it is about: `what an agent wants to do, what it asks you`. */
  about: string;
  /** `asks you for 15 min, then denies it, and tells the agent why` */
  words: string;
  /** `detached (~/.config/reins/config.yml:3)`, or that it is built in. */
  from: string;
}

export function ladderLines({ ladders, on_no_answer }: Policy, when: PolicyLadder['when']): LadderLine[] {
  const lines: (LadderLine & { kinds: string[] })[] = [];
  for (const { kind, steps, via, source } of ladders.filter((one) => one.when === when)) {
    const words = steps.map((step, at) => stepWords(step, { kind, on_no_answer, isLast: at === steps.length - 1 }));
    const line = { about: '', words: words.join(', then '), from: source === 'default' ? via : `${via}, ${source}` };
    const same = lines.find((one) => one.words === line.words && one.from === line.from);
    if (same) same.kinds.push(KIND[kind]);
    else lines.push({ ...line, kinds: [KIND[kind]] });
  }
  return lines.map(({ kinds, ...line }) => ({ ...line, about: kinds.join(', ') }));
}

interface StepAbout {
  kind: PolicyLadder['kind'];
  on_no_answer: Policy['on_no_answer'];
  /** Nothing comes after it. */
  isLast: boolean;
}

function stepWords({ mode, secs }: LadderStep, about: StepAbout): string {
  const during = secs === undefined ? '' : ` for ${timeLeft(secs * 1000)}`;
  return `${modeWords(mode, about)}${during}`;
}

function modeWords(mode: LadderStep['mode'], { kind, on_no_answer, isLast }: StepAbout): string {
  switch (mode) {
    case 'ask':
      return 'asks you';
    case 'deny':
      return DENIES;
    case 'defer':
      return 'keeps it open until you come';
    case 'auto':
      if (kind !== 'question') return kind === 'run' ? 'allows it' : 'lets it through';
      return isLast ? `asks another agent, and without an answer ${NO_ANSWER[on_no_answer]}` : 'asks another agent';
    case 'defaults':
      if (kind === 'question')
        return isLast ? `takes the question’s default, or ${DENIES}` : 'takes the question’s default';
      return kind === 'run' ? DENIES : 'lets it through';
  }
}

const NO_ANSWER: Record<Policy['on_no_answer'], string> = {
  deny: DENIES,
  defaults: `takes the question’s default, or ${DENIES}`,
  defer: 'keeps it open until you come',
};
