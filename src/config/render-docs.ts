/** docs/config.md, made from the schema: one table per top-level key. */
import { configJsonSchema, type JsonSchema } from './json-schema.js';
import { isNotYet } from './not-yet.js';

interface KeyRow {
  key: string;
  type: string;
  default: string;
  description: string;
}

const INTRO = `# Configuration

Made from the schema; do not edit. Layers, lowest first: the defaults below, \`$XDG_CONFIG_HOME/reins/config.yml\`, the
project's \`reins.yml\` (in the working directory or a parent, up to the repository's root; a \`ralph.yml\` where there is
no \`reins.yml\`; or the file named with \`-c\`), \`REINS_CFG__a__b=value\` and \`REINS_TRUST\`, \`--set a.b=value\`, flags.
Maps are merged key by key; scalars and lists replace, except the lists under \`rules\`, which are joined. A key without a
value counts as not written. \`reins config show --explain\` says where each value comes from. A key with *no effect yet*
may be written, and \`reins config check\` and the start of a run say that it does nothing in this version.

A **policy** is one mode (\`detached: defer\`), a ladder (\`detached: [{ask: 5m}, auto, defer]\`: each rung is tried for its
time, then the next), or one of these per kind of inquiry (\`detached: {run: deny, deliver: auto, question: defer}\`). The
first that is set wins: the tool's kind, the tool, the kind in \`tools.defaults\`, \`tools.defaults\`, and else \`deny\`
while nobody can answer, or \`ask\` (results: \`auto\`) while someone can. Times are seconds or \`90s\`, \`5m\`, \`2h\`.
`;

export function renderConfigDocs(): string {
  const top = Object.entries(configJsonSchema().properties ?? {});
  return `${[INTRO, ...top.map(([key, node]) => section(key, node))].join('\n')}`;
}

function section(key: string, node: JsonSchema): string {
  const rows = [...rowsOf(key, node)];
  const lines = rows.map((row) => `| ${[`\`${row.key}\``, row.type, row.default, row.description].join(' | ')} |`);
  const table = ['| Key | Type | Default | Meaning |', '|---|---|---|---|', ...lines];
  return [`## ${key}`, '', ...(hasKeys(node) ? [node.description ?? '', ''] : []), ...table, ''].join('\n');
}

const hasKeys = (node: JsonSchema): boolean =>
  Boolean(node.properties) || typeof node.additionalProperties === 'object';

/** A node with keys of its own is its keys; a map the user names the keys of is `<name>`. */
function* rowsOf(key: string, node: JsonSchema): Generator<KeyRow> {
  for (const [name, inner] of Object.entries(node.properties ?? {})) {
    if (inner.properties) yield* rowsOf(`${key}.${name}`, inner);
    else yield* leafRows(`${key}.${name}`, inner);
  }
  if (typeof node.additionalProperties === 'object') yield* rowsOf(`${key}.<name>`, node.additionalProperties);
  if (!hasKeys(node)) yield* leafRows(key, node);
}

function* leafRows(key: string, node: JsonSchema): Generator<KeyRow> {
  const value = node.default === undefined ? '' : `\`${JSON.stringify(node.default)}\``;
  const meaning = (node.description ?? '').replaceAll('|', '\\|');
  const description = isNotYet(key.split('.')) ? `*No effect yet.* ${meaning}` : meaning;
  yield { key, type: typeOf(node), default: value, description };
  if (node.items?.properties) yield* rowsOf(`${key}[]`, node.items);
  const named = typeof node.additionalProperties === 'object' ? node.additionalProperties : undefined;
  if (named?.properties) yield* rowsOf(`${key}.<name>`, named);
}

/** In words; `or` instead of a bar, which would end the table's cell. A shape with a name is explained above. */
function typeOf(node: JsonSchema): string {
  if (node.title) return node.title;
  if (node.enum) return node.enum.map((value) => `\`${value}\``).join(' or ');
  if (node.anyOf) return [...new Set(node.anyOf.map(typeOf))].join(' or ');
  if (node.items) return `list of ${typeOf(node.items)}`;
  // Where numbers and booleans are welcome as text, they are text.
  const type = Array.isArray(node.type) ? 'string' : (node.type ?? 'anything');
  const from = node.minimum ?? node.exclusiveMinimum;
  return `${WORDS[type] ?? type}${from ? `, from ${from}` : ''}`;
}

const WORDS: Record<string, string> = {
  string: 'text',
  object: 'map',
  integer: 'whole number',
  boolean: 'true or false',
};
