/**
 * What an inquiry shows, as one text that is the same wherever it is made: keys in order, nothing but what a card shows. An answer
 * may name its digest, and counts only for exactly that.
 */
import type { z } from 'zod';
import type { Inquiry } from './schemas/inquiry.js';

type ShownInquiry = Pick<
  z.infer<typeof Inquiry>,
  'id' | 'kind' | 'tool' | 'input' | 'questions' | 'result' | 'reason' | 'editable'
>;

/** Contract: pure, for a browser and for node. */
export function canonicalInquiry({ id, kind, tool, input, questions, result, reason, editable }: ShownInquiry): string {
  return JSON.stringify(inOrder({ id, kind, tool, input, questions, result, reason, editable }));
}

/** SHA-256 of it, in hexadecimal. */
export async function inquiryDigest(inquiry: ShownInquiry): Promise<string> {
  const bytes = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(canonicalInquiry(inquiry)));
  return [...new Uint8Array(bytes)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** JSON leaves out what is undefined, and writes keys in the order they were given. */
function inOrder(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inOrder);
  if (typeof value !== 'object' || value === null) return value;
  const keys = Object.keys(value).sort();
  return Object.fromEntries(keys.map((key) => [key, inOrder((value as Record<string, unknown>)[key])]));
}
