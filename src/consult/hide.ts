/**
 * Secrets are taken out of a pack by how they look, by their values, and by the values' usual disguises. Which values are
 * secret is said by names: a variable called `…TOKEN`, a line of an `.env` file, an answer that was typed unseen.
 */
import { withoutSecrets } from '../log/index.js';

/** A variable of such a name holds a secret. */
const SECRET_NAME =
  /key|token|secret|pass|pwd|auth|cred|cookie|private|salt|dsn|jwt|signature|webhook|bearer|_pin$|^pin$/i;
/** Names that say so and mean something else. */
const HARMLESS_NAME = /^(?:pwd|oldpwd|ssh_auth_sock|xauthority|.*_(?:path|file|dir|home|sock))$/i;
/** What stands in files and texts everywhere, also as a password in an example. */
const ORDINARY = new Set(
  'password changeme change_me postgres postgresql mysql mariadb mongodb sqlite redis admin administrator root example localhost development production staging testing default secret required disabled enabled undefined'.split(
    ' ',
  ),
);
/** Shorter ones would blank out ordinary words. */
const SHORTEST = { named: 6, other: 8 };
/** Hidden only where it stands alone. */
const MAY_BE_A_WORD = /^[A-Za-z]+$/;
const LEAST_LINE = 12;
const MOST_VALUES = 2_000;

/** A variable of an environment or of an `.env` file. `all`: of an `.env` file, where nothing is meant to be shown. */
export function secretValue(name: string, value: string, { all = false } = {}): string | undefined {
  const text = value.trim();
  const isNamed = SECRET_NAME.test(name) && !HARMLESS_NAME.test(name);
  if (ORDINARY.has(text.toLowerCase())) return undefined;
  if (isNamed) return text.length >= SHORTEST.named ? text : undefined;
  if (!all || text.length < SHORTEST.other) return undefined;
  // A number, a word, a switch: no secret, and it stands everywhere.
  return /^(?:[A-Za-z]+|[\d.]+)$/.test(text) ? undefined : text;
}

/** `NAME=value` lines, also exported, quoted and with remarks behind; several lines within quotes. */
export function envFileSecrets(text: string): string[] {
  const found: string[] = [];
  const line = /^[ \t]*(?:export[ \t]+)?([\w.-]+)[ \t]*[=:][ \t]*("(?:[^"\\]|\\.)*"|'[^']*'|`[^`]*`|[^\r\n]*)/gm;
  for (const [, name, raw] of text.matchAll(line)) {
    const quoted = /^(["'`])([\s\S]*)\1$/.exec(raw!.trim());
    const bare = quoted
      ? [quoted[2]!, quoted[2]!.replace(/\\n/g, '\n')]
      : [raw!.trim(), raw!.replace(/\s+#.*$/, '').trim()];
    for (const value of bare) {
      const secret = secretValue(name!, value, { all: true });
      if (secret !== undefined) found.push(secret);
    }
  }
  return found;
}

export type Hide = (text: string) => string;

/** Takes known secrets and whatever looks like one out of a text. */
export function hider(secrets: readonly string[]): Hide {
  const wanted = new Set(
    secrets
      .slice(0, MOST_VALUES)
      .flatMap(disguises)
      .filter((value) => value.length >= 4),
  );
  const longestFirst = [...wanted].sort((a, b) => b.length - a.length);
  const words = longestFirst.filter((value) => MAY_BE_A_WORD.test(value) && value.length < 16);
  const values = longestFirst.filter((value) => !words.includes(value));
  const alone = words.map((word) => new RegExp(`(?<![A-Za-z])${word}(?![A-Za-z])`, 'g'));
  return (text) => alone.reduce((so, word) => so.replace(word, '[redacted]'), withoutSecrets(text, values));
}

/** The value itself, its parts, and how it stands in a URL, in JSON, in base64. */
function disguises(value: string): string[] {
  const lines = value.split(/\r?\n/).map((line) => line.trim());
  const parts = lines.length > 1 ? lines.filter((line) => line.length >= LEAST_LINE) : [];
  const password = /:\/\/[^\s/:@]*:([^\s@]+)@/.exec(value)?.[1];
  return [
    value,
    ...parts,
    ...(password && password.length >= SHORTEST.named ? [password, decoded(password)] : []),
  ].flatMap((one) => [
    one,
    encodeURIComponent(one.replace(/\p{Cs}/gu, '')),
    JSON.stringify(one).slice(1, -1),
    ...(one.length >= SHORTEST.other ? base64(one) : []),
  ]);
}

const base64 = (text: string): string[] =>
  (['base64', 'base64url', 'hex'] as const).map((encoding) => Buffer.from(text).toString(encoding).replace(/=+$/, ''));

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // it is no escape
  }
}
