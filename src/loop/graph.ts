/** The hats as a picture: lines for a terminal, and Mermaid for a README. */
import { takersOf } from './check-hats.js';
import type { HatSettings, LoopSettings } from './settings.js';

interface Edge {
  from: string;
  topic: string;
  /** Absent: no hat listens, so the coordinator takes it. */
  to?: string;
}

export function renderGraph(settings: LoopSettings): { text: string; mermaid: string } {
  const start = edgesOf(settings, { from: 'start', topics: [settings.startingEvent] });
  const hats = settings.hats.map((hat) => ({ hat, edges: edgesOf(settings, { from: hat.id, topics: hat.publishes }) }));
  if (hats.length === 0) return { text: `no hats: every iteration is alike until ${settings.promise}\n`, mermaid: '' };
  const lines = ['start', ...start.map(arrow), ...hats.flatMap(({ hat, edges }) => [title(hat), ...edges.map(arrow)])];
  return {
    text: `${lines.join('\n')}\n`,
    mermaid: mermaid(settings, [...start, ...hats.flatMap(({ edges }) => edges)]),
  };
}

function edgesOf(settings: LoopSettings, { from, topics }: { from: string; topics: string[] }): Edge[] {
  return topics.flatMap((topic): Edge[] => {
    if (topic === settings.promise) return [{ from, topic, to: 'done' }];
    const takers = takersOf(settings, topic);
    return takers.length === 0 ? [{ from, topic }] : takers.map((hat) => ({ from, topic, to: hat.id }));
  });
}

const arrow = ({ topic, to }: Edge): string => `  ${topic} → ${to ?? '(coordinator)'}`;

function title(hat: HatSettings): string {
  const extras = [hat.backend, hat.maxActivations === undefined ? undefined : `at most ${hat.maxActivations}×`];
  const told = extras.filter((extra) => extra !== undefined).join(', ');
  return `${hat.id}${told === '' ? '' : ` [${told}]`}${hat.description ? ` – ${hat.description}` : ''}`;
}

function mermaid(settings: LoopSettings, edges: Edge[]): string {
  const ids = new Map(settings.hats.map((hat, index) => [hat.id, `h${index}`]));
  // Hats may be called anything, also `end` or `start`, which mean something to Mermaid: nodes get names of their own.
  const node = (id: string | undefined, fallback: string) =>
    id === undefined ? 'coordinator' : (ids.get(id) ?? fallback);
  const quote = (text: string) => `"${text.replaceAll('"', '#quot;')}"`;
  const lines = [
    'flowchart LR',
    '  begin(["start"])',
    ...settings.hats.map((hat) => `  ${ids.get(hat.id)}[${quote(hat.name ?? hat.id)}]`),
    ...(edges.some((edge) => edge.to === 'done') ? ['  done(["done"])'] : []),
    ...(edges.some((edge) => edge.to === undefined) ? ['  coordinator(["coordinator"])'] : []),
    ...edges.map(({ from, topic, to }) => `  ${node(from, 'begin')} -->|${quote(topic)}| ${node(to, 'done')}`),
  ];
  return `${lines.join('\n')}\n`;
}
