/**
 * Whether an address lies inside: this machine, its networks, or what only they reach. A push endpoint comes from a browser, so it
 * must not make the hub speak to such a one. Whatever is not known to be outside counts as inside.
 */
import { BlockList, isIP } from 'node:net';

const INSIDE4: [string, number][] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10], // shared by carriers, and by overlay networks
  ['127.0.0.0', 8],
  ['169.254.0.0', 16], // with the metadata of clouds
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3], // to many, reserved, to all
];

const inside4 = new BlockList();
for (const [net, bits] of INSIDE4) inside4.addSubnet(net, bits, 'ipv4');

/** Anything that is no address is inside. */
export function isInside(address: string): boolean {
  if (isIP(address) === 4) return inside4.check(address, 'ipv4');
  const groups = groupsOf(address);
  if (!groups) return true;
  const [first, second] = groups as [number, number];
  const isTranslated = first === 0x64 && second === 0xff9b && groups.slice(2, 6).every((group) => group === 0);
  if (isTranslated) return isInside(lastFour(groups));
  // Only 2000::/3 is out in the world; of that, 6to4 and Teredo lead to an address that is written inside, and one part is for books.
  const isGlobal = first >> 13 === 1;
  return !isGlobal || first === 0x2002 || (first === 0x2001 && (second === 0 || second === 0x0db8));
}

function groupsOf(address: string): number[] | undefined {
  if (isIP(address) !== 6 || address.includes('%') || !URL.canParse(`http://[${address}]`)) return undefined;
  const [head = '', tail] = new URL(`http://[${address}]`).hostname.slice(1, -1).split('::');
  const parts = (text: string) => text.split(':').filter(Boolean);
  const [before, after] = [parts(head), parts(tail ?? '')];
  const zeros = tail === undefined ? [] : Array.from({ length: 8 - before.length - after.length }, () => '0');
  return [...before, ...zeros, ...after].map((group) => Number.parseInt(group, 16));
}

const lastFour = (groups: number[]): string =>
  groups
    .slice(6)
    .flatMap((group) => [group >> 8, group & 0xff])
    .join('.');
