/**
 * A bounded copy of what is about to be logged, without secrets: by the key's name, by how a value looks, and by the
 * values of secret variables handed in. Whatever comes (circles, getters that throw, functions), a plain copy comes out.
 */
import { BEGINS_KEY, HIDDEN, SECRET_SHAPES } from './secret-shapes.js';

const SECRET_KEY =
  /(?:key|token|secret|password|passwd|passphrase|authorization|cookie|credentials?|connection_?string)$|(?:^|[_.-])(?:pass|pwd?|auth|dsn|jwt|otp|pin)$/i;
/** Names that end like a secret but are not one: a key on a keyboard, a key one may show, a folder. */
const HARMLESS_KEY = /^(?:key|public_?key)$/i;
const FOLDER_KEY = /^(?:old)?pwd$/i;

/** Humps are gaps: `dbPass`, and not `bypass`. */
function namesSecret(key: string, value: unknown): boolean {
  if (HARMLESS_KEY.test(key) || (FOLDER_KEY.test(key) && typeof value === 'string' && /^[/~]/.test(value)))
    return false;
  return SECRET_KEY.test(key.replace(/([a-z\d])(?=[A-Z])/g, '$1_'));
}

/** A shorter value would blank out ordinary words. */
const SHORTEST_SECRET = 8;
const LONGEST_TEXT = 2000;
const MOST_ITEMS = 50;
const DEEPEST = 6;

const SECRET_VARIABLE =
  /(?:KEY|TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIALS?|COOKIE|_(?:PASS|PWD|AUTH|DSN|JWT))$/i;

/** The values of variables whose names say that they are secret. */
export function secretsFrom(env: Readonly<Record<string, string | undefined>>): string[] {
  return Object.entries(env)
    .filter(([name, value]) => SECRET_VARIABLE.test(name) && (value ?? '').length >= SHORTEST_SECRET)
    .map(([, value]) => value!)
    .sort((a, b) => b.length - a.length);
}

export type Redact = (value: unknown) => unknown;

/** A whole text without secrets, however long it is. */
export function withoutSecrets(text: string, known: readonly string[]): string {
  let clean = known.reduce((so, secret) => so.replaceAll(secret, HIDDEN), text);
  for (const [pattern, instead] of SECRET_SHAPES) clean = clean.replace(pattern, instead);
  return clean;
}

/**
 * `hide` takes out of a text what else is known to be secret.
 * Contract: the returned function never throws and its results can always be made JSON.
 */
export function redactor(secrets: readonly string[], hide: (text: string) => string = (text) => text): Redact {
  const known = secrets.filter((secret) => secret.length >= SHORTEST_SECRET);
  const text = (whole: string): string => {
    // Cut first, with room for a secret at the edge: patterns over megabytes would stall whoever logs.
    const held = whole.length > LONGEST_TEXT * 2 ? whole.slice(0, LONGEST_TEXT * 2) : whole;
    const clean = withoutSecrets(hide(held), known);
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
    if (Array.isArray(value)) return list(value, depth);
    return map(value, depth);
  };
  /** A key cut into lines has nothing in its middle that looks like one. */
  const list = (value: unknown[], depth: number): unknown[] => {
    const shown = value.slice(0, MOST_ITEMS);
    const holdsKey = shown.some((item) => typeof item === 'string' && BEGINS_KEY.test(item));
    return shown.map((item) => (holdsKey && typeof item === 'string' ? HIDDEN : copy(item, depth + 1)));
  };
  const map = (value: object, depth: number): Record<string, unknown> => {
    const result: Record<string, unknown> = {};
    // An error's words are not among its own enumerable keys.
    if (value instanceof Error) result.message = text(String(value.message));
    for (const key of Object.keys(value).slice(0, MOST_ITEMS)) {
      const inner = (value as Record<string, unknown>)[key];
      const hide = namesSecret(key, inner) && !['number', 'boolean'].includes(typeof inner);
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
