/**
 * Small pieces that several parts of the schema use: texts, seconds, durations. Units stand in the key's name; only a
 * ladder's times have no key of their own and therefore carry their unit (`5m`).
 */
import { z } from 'zod';

/** YAML reads `8080` and `true` as a number and a boolean; where a program wants text they are meant as written. */
export const Text = z
  .union([z.string(), z.number(), z.boolean()], { error: 'expected text' })
  .transform((value) => String(value));

export const Texts = z.array(Text);

export const Filled = z.string().min(1, { error: 'must not be empty' });

/** Thirty days: the longest time anyone means, and safely below the 2^31 ms at which timers overflow. */
const LONGEST_SECS = 2_592_000;

export const Secs = z.number().min(0).max(LONGEST_SECS);

/** A limit on a whole loop: people write 999999999 for "none". Three centuries, and exact in milliseconds. */
export const LongSecs = z.number().min(1).max(10_000_000_000);

const UNITS: Record<string, number> = { s: 1, m: 60, h: 3600, d: 86_400 };
const SHAPE = /^(\d{1,9}(?:\.\d{1,3})?)\s*([smhd]?)$/;

/** Seconds of `90`, `90s`, `5m`, `2h`, `1d`; undefined for anything else. */
export function parseDuration(value: number | string): number | undefined {
  if (typeof value === 'number') return value;
  const match = SHAPE.exec(value.trim());
  return match ? Number(match[1]) * UNITS[match[2] || 's']! : undefined;
}

const DURATION = 'expected seconds, or a time like 90s, 5m or 2h (more than zero, at most 30 days)';

export const Duration = z
  .union([z.number(), z.string()], { error: DURATION })
  .refine(
    (value) => {
      const secs = parseDuration(value);
      return secs !== undefined && secs > 0 && secs <= LONGEST_SECS;
    },
    { error: DURATION },
  )
  .transform((value) => parseDuration(value) ?? 0);
