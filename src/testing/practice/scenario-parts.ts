/** Pieces that several scenarios share: tool calls, the three questions, what is said afterwards, the hats. */
import type { PracticeQuestion, PracticeStep, PracticeTool, Scenario } from './script.js';

export const bash = (command: string, description = 'Run the command'): PracticeTool => ({
  tool: 'Bash',
  input: { command, description },
});
export const write = (file_path: string, content: string) => ({ tool: 'Write', input: { file_path, content } });

export const database: PracticeQuestion = {
  question: 'Which database should I use?',
  header: 'Database',
  options: [
    { label: 'PostgreSQL', description: 'Relational, robust' },
    { label: 'SQLite', description: 'Embedded, simple' },
    { label: 'MongoDB', description: 'Document store' },
  ],
};
export const features: PracticeQuestion = {
  question: 'Which features do you want to enable?',
  header: 'Features',
  multiSelect: true,
  options: [
    { label: 'Auth', description: 'Login and sessions' },
    { label: 'Cache', description: 'Keep answers for a while' },
    { label: 'Metrics', description: 'Count what happens' },
  ],
};
export const project: PracticeQuestion = {
  question: 'What should the project be called?',
  header: 'Name',
  options: [],
};

export const told: PracticeStep[] = [
  { say: 'Understood: {{answer}}{{note}}.', when: 'allowed' },
  { say: 'No answer, so I go on without one: {{result}}', when: 'denied' },
];
export const reported: PracticeStep[] = [
  { say: 'Done. It said: {{result}}', when: 'allowed' },
  { say: 'Not done: {{result}}', when: 'denied' },
];
export const habit = (name: string, about: string, early = false): Scenario => ({
  name,
  about,
  early,
  steps: (_prompt, arg) => [{ misbehave: name, ...(arg === '' ? {} : { n: Number(arg) }) }],
});

const HATS = [
  { hat: /plan/i, topic: 'plan.ready', words: 'Plan: one small step.' },
  { hat: /build|implement|cod(er|ing)/i, topic: 'build.done', words: 'Built it.' },
  { hat: /review|critic|verif/i, topic: 'review.approved', words: 'Reviewed: good.\nLOOP_COMPLETE' },
];

/** The hat is the first of ours named after the word "hat" or "you are"; a bare "hats" starts with the plan. */
export function hatSteps(prompt: string, arg = ''): PracticeStep[] {
  const place = prompt.search(/\b(hat|you are|wear)/i);
  const near = place < 0 ? prompt : prompt.slice(place, place + 120);
  const found = HATS.map((hat) => ({ hat, at: near.search(hat.hat) }))
    .filter(({ at }) => at >= 0)
    .sort((a, b) => a.at - b.at)[0]?.hat;
  const { words, topic } = found ?? HATS[0]!;
  const [line = '', promise] = words.split('\n');
  const tools = arg === 'tools' ? [write(`${topic}.txt`, `${line}\n`), bash(`cat ${topic}.txt`), ...reported] : [];
  return [{ say: line }, ...tools, { event: topic, payload: line }, ...(promise ? [{ say: promise }] : [])];
}
