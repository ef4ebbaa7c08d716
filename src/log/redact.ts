/**
 * A bounded copy of what is about to be logged, without secrets: by the key's name, by how a value looks, and by the
 * values of secret variables handed in. Whatever comes (circles, getters that throw, functions), a plain copy comes out.
 */
const HIDDEN = '[redacted]';
const SECRET_KEY = /(?:key|token|secret|password|passwd|passphrase|authorization|cookie|credentials?)$/i;
/** Names that end like a secret but are not one: a key on a keyboard, a key one may show. */
const HARMLESS_KEY = /^(?:key|public_?key)$/i;

/** How well-known secrets look; each keeps what comes before the secret itself. */
const SECRET_TEXT: [RegExp, string][] = [
  [/-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g, HIDDEN],
  [/\b(?:sk|pk|rk)[-_](?:[A-Za-z0-9]+[-_])*[A-Za-z0-9_-]{12,}/g, HIDDEN],
  [/\b(?:gh[pousr]_|github_pat_|glpat-|xox[a-z]-|npm_|hf_)[A-Za-z0-9_-]{10,}/g, HIDDEN],
  [/\b(?:AKIA|ASIA)[A-Z0-9]{12,}/g, HIDDEN],
  [/\bAIza[A-Za-z0-9_-]{20,}/g, HIDDEN],
  // Bounded: a text made of nothing but beginnings would be gone through once for each of them.
  [/\beyJ[A-Za-z0-9_-]{8,1000}\.[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]*)?/g, HIDDEN],
  [/\b((?:bearer|basic)\s+)[A-Za-z0-9._~+/=-]{8,}/gi, `$1${HIDDEN}`],
  [/(:\/\/[^\s/:@]{0,200}:)[^\s/@]{1,200}@/g, `$1${HIDDEN}@`],
  [/\b([A-Za-z0-9_-]{0,64}(?:key|token|secret|password)["']?\s{0,3}[=:]\s{0,3}["']?)[^\s"',;&]{6,}/gi, `$1${HIDDEN}`],
  [
    /(\s--?[a-z-]{0,32}(?:key|token|secret|password|passwd|passphrase)\s{1,3}["']?)[^\s"'-][^\s"']{3,}/gi,
    `$1${HIDDEN}`,
  ],
];

/** A shorter value would blank out ordinary words. */
const SHORTEST_SECRET = 8;
const LONGEST_TEXT = 2000;
const MOST_ITEMS = 50;
const DEEPEST = 6;

/** The values of variables whose names say that they are secret. */
export function secretsFrom(env: Readonly<Record<string, string | undefined>>): string[] {
  return Object.entries(env)
    .filter(([name, value]) => /(?:KEY|TOKEN|SECRET|PASSWORD)$/i.test(name) && (value ?? '').length >= SHORTEST_SECRET)
    .map(([, value]) => value!)
    .sort((a, b) => b.length - a.length);
}

export type Redact = (value: unknown) => unknown;

/** A whole text without secrets, however long it is. */
export function withoutSecrets(text: string, known: readonly string[]): string {
  let clean = known.reduce((so, secret) => so.replaceAll(secret, HIDDEN), text);
  for (const [pattern, instead] of SECRET_TEXT) clean = clean.replace(pattern, instead);
  return clean;
}

/** Contract: the returned function never throws and its results can always be made JSON. */
export function redactor(secrets: readonly string[]): Redact {
  const known = secrets.filter((secret) => secret.length >= SHORTEST_SECRET);
  const text = (whole: string): string => {
    // Cut first, with room for a secret at the edge: patterns over megabytes would stall whoever logs.
    const held = whole.length > LONGEST_TEXT * 2 ? whole.slice(0, LONGEST_TEXT * 2) : whole;
    const clean = withoutSecrets(held, known);
    return clean.length > LONGEST_TEXT ? `${clean.slice(0, LONGEST_TEXT)}…` : clean;
  };
  const copy = (value: unknown, depth: number): unknown => {
    if (typeof value === 'string') return text(value);
    if (typeof value === 'bigint') return String(value);
    if (typeof value === 'number') return Number.isFinite(value) ? value : String(value);
    if (typeof value === 'boolean' || value === null || value === undefined) return value;
    if (typeof value !== 'object') return `[${typeof value}]`;
    if (depth >= DEEPEST) return '[deeper]';
    if (value instanceof Date) return Number.isNaN(value.getTime()) ? 'no date' : value.toISOString();
    if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`;
    if (Array.isArray(value)) return value.slice(0, MOST_ITEMS).map((item) => copy(item, depth + 1));
    return map(value, depth);
  };
  const map = (value: object, depth: number): Record<string, unknown> => {
    const result: Record<string, unknown> = {};
    // An error's words are not among its own enumerable keys.
    if (value instanceof Error) result.message = text(String(value.message));
    for (const key of Object.keys(value).slice(0, MOST_ITEMS)) {
      const inner = (value as Record<string, unknown>)[key];
      const hide = SECRET_KEY.test(key) && !HARMLESS_KEY.test(key) && !['number', 'boolean'].includes(typeof inner);
      result[text(key)] = hide && inner !== undefined && inner !== null ? HIDDEN : copy(inner, depth + 1);
    }
    return result;
  };
  return (value) => {
    try {
      return copy(value, 0);
    } catch {
      return '[unreadable]'; // a getter or a proxy that throws: the line is worth more than this value
    }
  };
}
