/** Small words for sentences a person reads. */

/** `1 iteration`, `3 iterations`. */
export const counted = (count: number, one: string): string => `${count} ${one}${count === 1 ? '' : 's'}`;
