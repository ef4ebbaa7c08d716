/** What a page may send over its socket, as schemas: everything from there is checked by these before anyone looks at it. */
import { z } from 'zod';

const channel = z.number().int().min(0).max(0xffff_ffff);
const count = z.number().int().min(0).max(Number.MAX_SAFE_INTEGER);
const side = z.number().int().min(1).max(1000);

export const PageUpMessage = z.discriminatedUnion('t', [
  z.strictObject({ t: z.literal('hello'), visible: z.boolean() }),
  z.strictObject({ t: z.literal('here'), visible: z.boolean(), touched: z.boolean() }),
  z.strictObject({ t: z.literal('open'), ch: channel, session: z.string().max(200), since: count.optional() }),
  z.strictObject({ t: z.literal('close'), ch: channel }),
  z.strictObject({ t: z.literal('terminal'), ch: channel, shown: z.boolean(), since: count.optional() }),
  z.strictObject({ t: z.literal('drawn'), ch: channel, bytes: count }),
  z.strictObject({ t: z.literal('take'), ch: channel }),
  z.strictObject({ t: z.literal('fit'), ch: channel, size: z.strictObject({ cols: side, rows: side }) }),
  z.strictObject({ t: z.literal('pong') }),
]);
