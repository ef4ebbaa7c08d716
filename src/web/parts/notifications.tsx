/** Notifications of this device: the part of Settings that the push stream fills. */
export function Notifications() {
  return null;
}
