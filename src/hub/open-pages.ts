/** All pages that are open, and what they are told together. Who may open one is decided before; who is let out is closed there too. */
import type { WebSocket } from 'ws';
import type { KnownDevice } from './device-files.js';
import { OpenPage, PAGE_LIMITS, type PageLimits, type PagePorts } from './page.js';
import type { Pages } from './pages.js';
import { isWithin } from './scope.js';

export interface OpenPagesPorts extends Omit<PagePorts, 'gone' | 'limits'> {
  limits?: Partial<PageLimits>;
}

export class OpenPages implements Pages {
  readonly #ports: OpenPagesPorts;
  readonly #pages = new Set<OpenPage>();

  constructor(ports: OpenPagesPorts) {
    this.#ports = ports;
  }

  accept(socket: WebSocket, device: KnownDevice): void {
    const limits = { ...PAGE_LIMITS, ...this.#ports.limits };
    this.#pages.add(new OpenPage(socket, device, { ...this.#ports, limits, gone: (page) => this.#pages.delete(page) }));
  }

  /** For the device itself, and for those that see all it sees and may let others in. */
  tell(note: string, at: string, about: KnownDevice): void {
    for (const page of this.#pages) {
      const { device } = page;
      const mayKnow = device.right === 'admin' && isWithin(about, device);
      if (mayKnow || device.id === about.id) page.tell({ t: 'devices', note, at });
    }
  }

  out(device: string, at: string): void {
    for (const page of [...this.#pages]) if (page.device.id === device) page.revoke(at);
  }

  close(): void {
    for (const page of [...this.#pages]) page.close(1001, 'the hub ends');
  }
}
