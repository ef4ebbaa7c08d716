/** Settings. */
import { Notifications } from '../parts/notifications.js';

export function SettingsView() {
  return (
    <div class="view" data-view="settings">
      <Notifications />
    </div>
  );
}
