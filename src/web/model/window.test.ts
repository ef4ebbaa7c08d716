import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { placeAt, windowAround, windowAtEnd } from './window.js';

const list = (heights: number[]) => ({ count: heights.length, heightOf: (at: number) => heights[at]! });
const sum = (heights: number[]) => heights.reduce((all, one) => all + one, 0);
const heights = fc.array(fc.integer({ min: 1, max: 900 }), { minLength: 1, maxLength: 300 });
const view = { height: 800, margin: 600, most: 120 };

describe('the part of a list that is drawn', () => {
  it('is everything in view of the place, and the rest is room', () => {
    fc.assert(
      fc.property(heights, fc.nat(), (all, y) => {
        const top = Math.min(y, Math.max(0, sum(all) - view.height));
        const place = placeAt(all.length, (at) => all[at]!, top);
        const { from, to, before, after } = windowAround(list(all), place, { ...view, most: 1000 });
        const drawn = sum(all.slice(from, to));
        expect(before + drawn + after).toBe(sum(all));
        expect(before).toBeLessThanOrEqual(top);
        expect(before + drawn).toBeGreaterThanOrEqual(Math.min(sum(all), top + view.height));
      }),
    );
  });

  it('never draws more than so many', () => {
    const all = list(Array.from({ length: 50_000 }, () => 4));
    const shown = windowAround(all, { index: 25_000, offset: 0 }, view);
    expect(shown.to - shown.from).toBeLessThanOrEqual(view.most);
    expect(shown.from).toBeLessThanOrEqual(25_000);
    expect(windowAtEnd(all, view)).toMatchObject({ from: 50_000 - view.most, to: 50_000, after: 0 });
  });

  it('an empty list is an empty window', () => {
    expect(windowAtEnd(list([]), view)).toEqual({ from: 0, to: 0, before: 0, after: 0 });
    expect(windowAround(list([]), { index: 0, offset: 0 }, view)).toEqual({ from: 0, to: 0, before: 0, after: 0 });
  });
});
