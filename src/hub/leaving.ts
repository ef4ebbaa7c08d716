/** A host that has said its end is there for a moment longer: whoever acts on the end waits for that moment. */
import { setTimeout as sleep } from 'node:timers/promises';
import { placeOf } from '../link/index.js';
import type { Where } from '../sessions/index.js';

/** One that takes longer is busy with something else: then it is as it is. */
const LEAVE_MS = 3_000;

export async function whenLeft({ env }: Pick<Where, 'env'>, id: string): Promise<void> {
  for (const end = Date.now() + LEAVE_MS; placeOf(env, id).alive && Date.now() < end; ) await sleep(25);
}
