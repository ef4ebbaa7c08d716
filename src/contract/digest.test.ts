import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { canonicalInquiry, inquiryDigest } from './digest.js';
import { inquiryId, type SessionId } from './ids.js';

const one = {
  id: inquiryId('aaaa2222' as SessionId, 1),
  kind: 'run' as const,
  tool: 'Bash',
  input: { command: 'git push', timeout: 5, nested: { b: [1, { y: 2, x: 1 }], a: null } },
};

it('is the same whatever the order of keys, and another for anything that is shown', async () => {
  const turned = { ...one, input: { nested: { a: null, b: [1, { x: 1, y: 2 }] }, timeout: 5, command: 'git push' } };
  expect(canonicalInquiry(turned)).toBe(canonicalInquiry(one));
  const also = { ...one, opened_at: 'now', stage: 'asking', suggestion: {} };
  expect(await inquiryDigest(also)).toBe(await inquiryDigest(one));
  expect(await inquiryDigest(one)).toBe(createHash('sha256').update(canonicalInquiry(one)).digest('hex'));
  const others = [
    { ...one, id: inquiryId('aaaa2222' as SessionId, 2) },
    { ...one, tool: 'Edit' },
    { ...one, input: { ...one.input, command: 'git push ' } },
    { ...one, reason: 'because' },
    { ...one, input: { ...one.input, nested: { a: null, b: [{ x: 1, y: 2 }, 1] } } },
  ];
  const digests = await Promise.all([one, ...others].map(inquiryDigest));
  expect(new Set(digests).size).toBe(digests.length);
});
