/**
 * The practice agent as a consultant: it reads the pack it is given as a model would, picks an option and cites a piece; or
 * it misbehaves in one of the ways consultants do. Chosen by flag (`PRACTICE_CONSULT`), never by the words of a prompt.
 */
import { bash, database, told } from './scenario-parts.js';
import type { PracticeStep, Scenario } from './script.js';

interface PackPiece {
  id: string;
  name: string;
  lines: string[];
}
interface PackQuestion {
  id: string;
  options: { id: string; label: string }[];
}

const CONFIDENCE = 0.9;
/** A shorter quote is no cite. */
const SHORTEST = 8;

/** `consult ANSWER [CONFIDENCE]`: the option of that name, where a question has it, else its first. */
export function consultAnswer(prompt: string, arg: string): string {
  const words = arg.split(' ').filter(Boolean);
  const last = Number(words.at(-1));
  const isNumber = words.length > 0 && Number.isFinite(last) && last <= 1;
  const wanted = (isNumber ? words.slice(0, -1) : words).join(' ').toLowerCase();
  const { pieces, questions } = readPack(prompt);
  const chosen = questions.map(({ id, options }) => {
    const option = options.find(({ label }) => label.toLowerCase() === wanted) ?? options[0];
    return { id, option };
  });
  const labels = chosen.flatMap(({ option }) => option?.label ?? []);
  const cite = citing(pieces, labels);
  return JSON.stringify({
    answers: Object.fromEntries(chosen.flatMap(({ id, option }) => (option ? [[id, [option.id]]] : []))),
    ...(chosen.every(({ option }) => option) ? {} : { texts: ownWords(chosen, wanted) }),
    confidence: isNumber ? last : CONFIDENCE,
    reason: cite ? `${cite.name} says so.` : 'Nothing speaks against it.',
    cites: cite ? [{ source: cite.source, quote: cite.quote }] : [],
  });
}

const ownWords = (chosen: { id: string; option: unknown }[], text: string) =>
  Object.fromEntries(chosen.filter(({ option }) => !option).map(({ id }) => [id, text || 'practice']));

/** A line that names what was chosen; else the first line there is. */
function citing(pieces: PackPiece[], labels: string[]): { source: string; name: string; quote: string } | undefined {
  const lines = pieces.flatMap(({ id, name, lines: all }) =>
    all.filter((line) => line.trim().length >= SHORTEST).map((line) => ({ source: id, name, quote: line.trim() })),
  );
  return lines.find(({ quote }) => labels.some((label) => quote.includes(label))) ?? lines[0];
}

/** As Reins lays it out: `[FENCE S1: kind]`, lines behind `| `, and the question with its options as JSON. */
export function readPack(prompt: string): { pieces: PackPiece[]; questions: PackQuestion[] } {
  const pieces: PackPiece[] = [];
  const questions: PackQuestion[] = [];
  let piece: PackPiece | undefined;
  for (const line of prompt.split('\n')) {
    const head = /^\[[0-9a-f]{16} (S\d+): ([^\]]*)\]$/.exec(line);
    if (head) {
      // What the asking agent wrote or changed, and what nobody vouches for, proves nothing.
      const proves = !/asking agent|unverified/.test(head[2]!);
      piece = proves ? { id: head[1]!, name: '', lines: [] } : undefined;
      if (piece) pieces.push(piece);
    } else if (line.startsWith('[')) piece = undefined;
    else if (line.startsWith('| question: ')) questions.push({ ...(jsonOf(line) as { id: string }), options: [] });
    else if (line.startsWith('| option: ')) questions.at(-1)?.options.push(jsonOf(line) as PackQuestion['options'][0]);
    else if (piece && line.startsWith('| name: ')) piece.name = String(jsonOf(line));
    else if (piece && line.startsWith('| ')) piece.lines.push(line.slice(2));
  }
  return { pieces, questions };
}

const jsonOf = (line: string): unknown => JSON.parse(line.slice(line.indexOf(': ') + 2));

const answers = (prompt: string, arg = ''): PracticeStep => ({ say: consultAnswer(prompt, arg) });

/** Asks the same thing again and again, whatever it is told. */
const again = (times: number): PracticeStep[] =>
  Array.from({ length: times }, (): PracticeStep[] => [{ ask: [database] }, ...told]).flat();

export const consultScenarios: Scenario[] = [
  {
    name: 'ask-again',
    about: 'asks the same question again (arg: how often, default 3)',
    steps: (_prompt, arg) => again(Number(arg) || 3),
  },
  {
    name: 'consult',
    about: 'consulted: picks an option and says why (arg: which, and how sure)',
    steps: (prompt, arg) => [answers(prompt, arg)],
  },
  {
    name: 'consult-garbage',
    about: 'consulted: says something that is no answer',
    steps: (prompt, arg) => [{ say: 'I would go for PostgreSQL. Or not.' }, answers(prompt, arg)],
  },
  {
    name: 'consult-late',
    about: 'consulted: answers after so many seconds (arg, default 3600)',
    steps: (prompt, arg) => [{ misbehave: 'slow-silently', n: Number(arg) || 3600 }, answers(prompt)],
  },
  {
    name: 'consult-tool',
    about: 'consulted: calls a tool first',
    steps: (prompt, arg) => [bash('echo consulted > consulted.txt'), answers(prompt, arg)],
  },
  {
    name: 'consult-asks',
    about: 'consulted: asks back',
    steps: (prompt, arg) => [{ ask: [database] }, answers(prompt, arg)],
  },
  {
    name: 'consult-outside',
    about: 'consulted: answers with something that is no option',
    steps: (prompt) => [
      { say: consultAnswer(prompt, '').replace(/"answers":\{("[^"]*"):\[[^\]]*\]/, '"answers":{$1:["CockroachDB"]') },
    ],
  },
  {
    name: 'consult-flood',
    about: 'consulted: N megabytes of text (arg: N, default 50), then an answer',
    steps: (prompt, arg) => [{ misbehave: 'flood', n: Number(arg) || 50 }, answers(prompt)],
  },
  {
    name: 'consult-child',
    about: 'consulted: leaves a child in a session of its own, then answers',
    steps: (prompt, arg) => [{ misbehave: 'silent-child' }, answers(prompt, arg)],
  },
  {
    name: 'consult-crash',
    about: 'consulted: answers, and exits 1',
    steps: (prompt, arg) => [answers(prompt, arg), { exit: 1 }],
  },
];
