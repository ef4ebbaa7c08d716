import { expect, it } from 'vitest';
import { DoneOnce } from './once.js';

it('a key is done once, by its device alone; what failed may be tried again', async () => {
  const once = new DoneOnce();
  let count = 0;
  const act = async () => {
    count += 1;
    return count;
  };
  const of = { device: 'phone', what: 'start', key: 'k' };
  expect(await Promise.all([once.run(of, act), once.run(of, act)])).toEqual([1, 1]);
  expect(await once.run({ ...of, what: 'guide' }, act)).toBe(2);
  expect(await once.run({ ...of, device: 'laptop' }, act)).toBe(3);
  const failing = { ...of, key: 'f' };
  await expect(once.run(failing, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  expect(await once.run(failing, act)).toBe(4);
});

it('a device that floods forgets its own keys and nobody else’s; the memory is bounded', async () => {
  const once = new DoneOnce();
  let count = 0;
  const act = async () => {
    count += 1;
    return count;
  };
  const mine = { device: 'phone', what: 'start', key: 'mine' };
  await once.run(mine, act);
  for (let at = 0; at < 5_000; at += 1) await once.run({ device: 'flood', what: 'start', key: `k${at}` }, act);
  expect(await once.run(mine, act)).toBe(1);
  expect(await once.run({ device: 'flood', what: 'start', key: 'k0' }, act)).toBe(5_002);
});
