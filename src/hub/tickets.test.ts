import { expect, it } from 'vitest';
import { Tickets } from './tickets.js';

it('lets one socket in, within its time', () => {
  let now = 0;
  const tickets = new Tickets({ now: () => now });
  const [used, late] = [tickets.issue('phone'), tickets.issue('phone')];
  expect(tickets.use(used)).toBe('phone');
  expect(tickets.use(used)).toBeUndefined();
  now = 30_000;
  expect(tickets.use(late)).toBeUndefined();
  expect(tickets.use('')).toBeUndefined();
});

it('keeps few of one device, and never gives up another’s for them', () => {
  const tickets = new Tickets({ now: () => 0 });
  const other = tickets.issue('laptop');
  const many = Array.from({ length: 1000 }, () => tickets.issue('phone'));
  expect(tickets.use(other)).toBe('laptop');
  expect(many.filter((ticket) => tickets.use(ticket) === 'phone')).toHaveLength(20);
});
