/**
 * What a Claude tool gave back, as a preview for people and as an empty copy of the same shape. The shapes are the tools'
 * own and differ; the copy therefore keeps every key, number and flag, and empties every text that could carry content.
 */

/** Characters shown with a `deliver` inquiry. */
const PREVIEW = 4000;

/** Texts that name a form rather than hold content; emptied, the result would no longer have its tool's shape. */
const FORM = new Set(['type', 'status', 'mode', 'media_type', 'mimeType', 'agentId', 'agentType', 'role']);
/** Where the reason is put: the first of these that exists, in this order, else the first text there is. */
const MAIN = ['stdout', 'content', 'text', 'result', 'output', 'error'];

export function previewOf(response: unknown): { text: string; truncated: boolean } {
  const text = typeof response === 'string' ? response : (mainText(response) ?? JSON.stringify(response) ?? '');
  return { text: text.slice(0, PREVIEW), truncated: text.length > PREVIEW };
}

/** What Bash and the like print; other shapes are shown whole. */
function mainText(response: unknown): string | undefined {
  if (typeof response !== 'object' || response === null) return undefined;
  const { stdout, stderr } = response as { stdout?: unknown; stderr?: unknown };
  if (typeof stdout !== 'string') return undefined;
  return [stdout, typeof stderr === 'string' ? stderr : ''].filter((part) => part !== '').join('\n');
}

export function withheld(response: unknown, reason: string): unknown {
  const main = mainPath(response);
  return emptied(response, { path: [], main: main ?? firstText(response, []), reason });
}

type FieldPath = readonly (string | number)[];

function emptied(value: unknown, at: { path: FieldPath; main: FieldPath | undefined; reason: string }): unknown {
  if (typeof value === 'string') return samePath(at.path, at.main) ? at.reason : isForm(at.path) ? value : '';
  if (Array.isArray(value)) return value.map((item, index) => emptied(item, { ...at, path: [...at.path, index] }));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, emptied(item, { ...at, path: [...at.path, key] })]),
  );
}

const isForm = (path: FieldPath): boolean => FORM.has(String(path.at(-1)));
const samePath = (path: FieldPath, other: FieldPath | undefined): boolean =>
  other !== undefined && path.length === other.length && path.every((part, index) => part === other[index]);

function mainPath(value: unknown): FieldPath | undefined {
  for (const key of MAIN) {
    const found = findText(value, [], (path) => path.at(-1) === key);
    if (found) return found;
  }
  return undefined;
}

const firstText = (value: unknown, path: FieldPath): FieldPath | undefined =>
  findText(value, path, (at) => !isForm(at));

function findText(value: unknown, path: FieldPath, wanted: (path: FieldPath) => boolean): FieldPath | undefined {
  if (typeof value === 'string') return wanted(path) ? path : undefined;
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [key, item] of Object.entries(value)) {
    const found = findText(item, [...path, Array.isArray(value) ? Number(key) : key], wanted);
    if (found) return found;
  }
  return undefined;
}
