/** A host's consultant: most sessions consult nobody, so it is loaded with the first inquiry that is for one, or at rest. */
import type { Config } from '../../config/index.js';
import { once } from '../../contract/index.js';
import type { DeskPorts } from '../desk-ports.js';
import type { Consultant, ConsultantPorts } from './consultant.js';

/** Its rung is a little longer than a consultation: whoever is late says so itself, after the time that the config names. */
const LONGER = 1.03;

export const loadConsultant = once(() => import('./consultant.js'));

/** Its config lets somebody else answer a question, or suggest an answer. */
export function mayConsult({ tools, consult }: Pick<Config, 'tools' | 'consult'>): boolean {
  const sides = Object.values(tools).flatMap(({ attached, detached, reachable }) => [attached, detached, reachable]);
  return consult.suggest || sides.some((side) => side?.question?.some(({ mode }) => mode === 'auto'));
}

export class LazyConsultant {
  readonly #ports: ConsultantPorts;
  #consultant: Promise<Consultant> | undefined;

  constructor(ports: ConsultantPorts) {
    this.#ports = ports;
  }

  readonly consult: DeskPorts['consult'] = async (inquiry, how) => (await this.#loaded()).consult(inquiry, how);

  /** For `reins consult --dry-run`. */
  readonly standing: Consultant['standing'] = async () => (await this.#loaded()).standing();

  #loaded(): Promise<Consultant> {
    this.#consultant ??= loadConsultant().then(({ createConsultant }) => createConsultant(this.#ports));
    return this.#consultant;
  }

  /** Who would be asked, and for how long, without loading anybody. */
  get consulting(): DeskPorts['consulting'] {
    const { config, agent } = this.#ports.spec;
    const { backend, suggest, timeout_secs } = config.consult;
    const ms = Math.ceil(timeout_secs * 1000 * LONGER);
    return { who: backend ?? agent?.adapter ?? 'another agent', ms, suggest };
  }

  /** Resolves when nothing that was consulted runs any more. */
  async close(): Promise<void> {
    await (await this.#consultant)?.close();
  }
}
