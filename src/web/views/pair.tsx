/** pair. */
export function PairView() {
  return <div class="view" data-view="pair" />;
}
