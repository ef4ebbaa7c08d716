/** sessions. */
export function SessionsView() {
  return <div class="view" data-view="sessions" />;
}
