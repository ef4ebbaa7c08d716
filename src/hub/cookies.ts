/**
 * The cookie that holds a device's key. Not for scripts, never sent with what another site's page asks; on https with the
 * prefix that binds it to this very host. Its name has the hub's own mark, because browsers do not keep ports apart.
 */
const YEAR_SECS = 365 * 24 * 3600;

export const cookieName = (mark: string, secure: boolean): string => `${secure ? '__Host-' : ''}reins-${mark}`;

/** The value, if the cookie is there exactly once: of two, one was planted. */
export function readCookie(header: string | undefined, name: string): string | undefined {
  if (header === undefined || header.length > 16_384) return undefined;
  const found = header.split(';').flatMap((part) => {
    const cut = part.indexOf('=');
    return part.slice(0, cut).trim() === name ? [part.slice(cut + 1).trim()] : [];
  });
  return found.length === 1 && /^[\w.-]{1,200}$/.test(found[0]!) ? found[0] : undefined;
}

/** `seconds`: 0 takes it away. */
export function cookieText(
  name: string,
  value: string,
  { secure, seconds }: { secure: boolean; seconds?: number },
): string {
  const age = Math.min(seconds ?? YEAR_SECS, YEAR_SECS);
  return `${name}=${value}; Path=/; Max-Age=${Math.floor(age)}; HttpOnly; SameSite=Strict${secure ? '; Secure' : ''}`;
}
