import { describe, expect, it, vi } from 'vitest';
import { HandClock } from '../contract/index.js';
import { memoryPair } from './memory.js';
import { TinyHost, TinyViewer, turn } from './outbox.cases.js';
import { Outbox } from './outbox.js';

describe('a flood passes by who only watches', () => {
  async function flooded(isSpared: boolean) {
    const [hostLink, viewerLink] = memoryPair();
    const clock = new HandClock();
    const host = new TinyHost();
    const viewer = new TinyViewer(viewerLink);
    let [bytes, screens] = [0, 0];
    viewerLink.onFrame((frame) => {
      if (frame.kind === 'output') bytes += frame.bytes.length;
      if (frame.kind === 'snapshot') screens += 1;
    });
    host.outbox = new Outbox({
      link: hostLink,
      catchUp: host.catchUp,
      since: { offset: 0 },
      bytes: true,
      entries: false,
      clock,
      isSpared: () => isSpared,
    });
    await host.outbox.start();
    for (let piece = 0; piece < 40; piece += 1) {
      host.write('f'.repeat(50 * 1024));
      await turn();
    }
    return { host, viewer, clock, figures: () => ({ bytes, screens }), end: () => hostLink.close() };
  }

  it('and shows what came of it as soon as it is over', async () => {
    const { host, viewer, clock, figures, end } = await flooded(true);
    expect(figures().bytes).toBeLessThan(700 * 1024);
    expect(host.outbox?.state).toBe('behind');
    clock.advance(250);
    await vi.waitFor(() => expect(viewer.screen === host.output.toString()).toBe(true));
    expect(figures().screens).toBe(1);
    expect(clock.waiting).toBe(0);
    host.write('calm again');
    await vi.waitFor(() => expect(viewer.screen.endsWith('calm again')).toBe(true));
    expect(figures().screens).toBe(1);
    end();
  });

  it('but not by who drives', async () => {
    const { host, viewer, figures, end } = await flooded(false);
    await vi.waitFor(() => expect(viewer.screen === host.output.toString()).toBe(true));
    expect(figures()).toEqual({ bytes: 40 * 50 * 1024, screens: 0 });
    end();
  });

  it('and who wants the end of it gets it at once', async () => {
    const { host, viewer, clock, end } = await flooded(true);
    await host.outbox?.upToDate();
    await vi.waitFor(() => expect(viewer.screen === host.output.toString()).toBe(true));
    expect(clock.waiting).toBe(0);
    end();
  });
});
