/** A link as a code for a camera: dark on light in either theme, because cameras want it so. */
import { encode } from 'uqr';

/** Light modules around it, without which it is not found. */
const QUIET = 3;

export function QrCode({ text, label }: { text: string; label: string }) {
  const { data, size } = encode(text, { border: 0 });
  const whole = size + QUIET * 2;
  // One path of all dark modules, a run of a row at a time.
  let path = '';
  for (let y = 0; y < size; y++)
    for (let x = 0; x < size; x++) {
      if (!data[y]?.[x]) continue;
      let end = x;
      while (data[y]?.[end + 1]) end++;
      path += `M${x + QUIET} ${y + QUIET}h${end - x + 1}v1h-${end - x + 1}z`;
      x = end;
    }
  return (
    <svg class="qr" viewBox={`0 0 ${whole} ${whole}`} role="img" aria-label={label} shape-rendering="crispEdges">
      <rect width={whole} height={whole} fill="#fff" />
      <path d={path} fill="#000" />
    </svg>
  );
}
