/** Which work a session does. Each kind is loaded only when it is the one: a plain `exec` needs no adapters. */
import type { Mode } from '../../contract/index.js';
import type { Work, WorkPorts } from './work.js';

export async function workFactory(mode: Mode): Promise<(ports: WorkPorts) => Work> {
  if (mode === 'exec') {
    const { ExecWork } = await import('./exec.js');
    return (ports) => new ExecWork(ports);
  }
  if (mode === 'interactive') {
    const { InteractiveWork } = await import('./interactive.js');
    return (ports) => new InteractiveWork(ports);
  }
  const { AutonomousWork } = await import('./autonomous.js');
  return (ports) => new AutonomousWork(ports);
}
