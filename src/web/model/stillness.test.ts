import { describe, expect, it } from 'vitest';
import type { Card } from '../../contract/page.js';
import { LINGER_MS, type StandingCard, stand } from './stillness.js';

const card = (id: string): Card => ({ inquiry: { id } }) as Card;
const [a, b, c] = [card('a'), card('b'), card('c')];
const names = (standing: readonly StandingCard[]) =>
  standing.map(({ card, goneAt }) => `${card.inquiry.id}${goneAt === undefined ? '' : '†'}`);
const later = (before: StandingCard[], waiting: Card[], more: { held?: boolean; now?: number; kept?: boolean } = {}) =>
  stand(before, { waiting, isKept: () => more.kept ?? true, held: more.held ?? false, now: more.now ?? 0 });

describe('cards in a list', () => {
  const three = later([], [a, b, c]);

  it('stand in the order of their time', () => {
    expect(names(three)).toEqual(['a', 'b', 'c']);
    expect(names(later(three, [c, a, b]))).toEqual(['c', 'a', 'b']);
  });

  it('keep the place of what was settled, and let it go after a while', () => {
    const settled = later(three, [a, c]);
    expect(names(settled)).toEqual(['a', 'b†', 'c']);
    expect(names(later(settled, [a, c], { now: LINGER_MS - 1 }))).toEqual(['a', 'b†', 'c']);
    expect(names(later(settled, [a, c], { now: LINGER_MS }))).toEqual(['a', 'c']);
    expect(names(later(three, [b, c]))).toEqual(['a†', 'b', 'c']);
  });

  it('let go at once of what nobody knows anything about', () => {
    expect(names(later(three, [a, c], { kept: false }))).toEqual(['a', 'c']);
  });

  it('stand still under a finger', () => {
    expect(names(later(three, [c, b, card('d'), a], { held: true }))).toEqual(['a', 'b', 'c']);
    const settled = later(three, [a, c]);
    expect(names(later(settled, [a, c], { held: true, now: LINGER_MS * 2 }))).toEqual(['a', 'b†', 'c']);
    expect(names(later(three, [a, c], { held: true, kept: false }))).toEqual(['a', 'b†', 'c']);
  });

  it('show the newest version of a card also under a finger', () => {
    const newer = card('b');
    expect(later(three, [a, newer, c], { held: true })[1]!.card).toBe(newer);
  });

  it('do not pile up', () => {
    const many = 'defghijklm'.split('').map(card);
    expect(later(later([], many), []).length).toBe(5);
  });
});
