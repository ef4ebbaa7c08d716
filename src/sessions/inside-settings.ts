/**
 * What is started inside a session gets no more than the session has. Whoever asks there is an agent: a file of the folder, or
 * one it names, it may have written itself; what it says on a command line or in its environment are its own words. Of all that
 * only what a clone's file may say without being trusted counts, and what forbids in the session above holds below.
 */
import { isTrusted, permissiveParts, type RuleLine, wornAgent } from '../config/index.js';
import { ReinsError } from '../contract/index.js';
import type { SessionRule, SessionSpec } from '../host/index.js';
import type { Inside } from '../proc/inside.js';
import { checkTrustInside, insideSession, trustAbove } from './inside.js';
import { arePersons, sessionsAbove } from './inside-places.js';
import { partLines, type Settings } from './settings.js';
import { specOf } from './spec-file.js';
import type { StartPlace } from './where.js';

/** Contract: throws USAGE. Outside every session, the settings as they are. */
export function capInside<T extends Settings>(where: StartPlace, settings: T): T {
  checkTrustInside(where, settings.trust);
  const inside = insideSession(where);
  if (!inside) return settings;
  if (trustAbove(where, inside) !== 'full') checkPermits(where, settings);
  return { ...settings, rules: [...settings.rules, ...forbidden(where, inside, settings.rules)] };
}

/** A file that a person trusted as it is now is that person's word, and so is the user's own: where they are the person's. */
function checkPermits(where: StartPlace, { loaded }: Settings): void {
  const { project } = loaded;
  const isPersons = arePersons(where);
  const trusted =
    isPersons && project !== undefined && isTrusted({ env: where.env, file: project.file, sha256: project.sha256 });
  const files = [...(isPersons ? [] : ['user' as const]), ...(trusted ? [] : ['project' as const])];
  const parts = permissiveParts(loaded, [...files, 'environment', 'set', 'flag']);
  if (parts.length === 0) return;
  throw new ReinsError('USAGE', {
    problem: `an agent may not permit more than its own session has: this shell belongs to one, and asks for\n${partLines(parts).join('\n')}`,
    fix: 'leave that out, or run it from a terminal of your own',
  });
}

/** What is denied or asked about above. */
function forbidden(where: StartPlace, inside: Inside, own: readonly RuleLine[]): RuleLine[] {
  const rules = sessionsAbove(where, inside).flatMap((place) =>
    rulesOf(specOf(place)).map((rule) => ({ ...rule, place })),
  );
  const found = new Map<string, RuleLine>();
  for (const { effect, text, source, place } of rules) {
    const known = own.some((rule) => rule.effect === effect && rule.text === text);
    if (effect === 'allow' || known) continue;
    found.set(`${effect} ${text}`, { effect, text, source: `${source} of session ${place.id}`, layer: 'user' });
  }
  return [...found.values()];
}

/** Also what any of its hats may not do: which one is worn now is not on its record, and the next moment it is another. */
function rulesOf(spec: SessionSpec | undefined): SessionRule[] {
  if (!spec) return [];
  const hats = Object.keys(spec.config?.hats ?? {}).flatMap((id) =>
    wornAgent(spec.config, id).deny.map((text): SessionRule => {
      return { effect: 'deny', text, source: `hats.${id}.disallowed_tools` };
    }),
  );
  return [...spec.rules, ...hats];
}
