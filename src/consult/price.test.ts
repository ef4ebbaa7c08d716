import { expect, test } from 'vitest';
import { guessPrice } from './price.js';

test.each([
  [{ bytes: 35_000, model: 'haiku', before: [] }, 0.015, 'list price of haiku'],
  [{ bytes: 35_000, model: 'haiku', before: [0.02, 0.04] }, 0.03, 'the last 2 consultations of this session'],
  [{ bytes: 35_000, model: 'home-made', before: [] }, undefined, 'nobody knows the price of home-made'],
  [{ bytes: 35_000, before: [] }, undefined, 'the agent chooses its model: nobody knows its price'],
])('a price: %j', (of, usd, basis) => {
  const tokens = { input_tokens: 13_000, output_tokens: 400 };
  expect(guessPrice(of)).toEqual({ ...tokens, ...(usd === undefined ? {} : { usd }), basis });
});
