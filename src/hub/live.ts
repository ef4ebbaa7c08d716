/** The living half of the hub, put together: what all sessions are now, who is at a page, the pages, and what they can do. */
import { userSettings } from '../sessions/run.js';
import { answerDeeds } from './answers.js';
import { Cards } from './cards.js';
import { sessionDeeds } from './deeds.js';
import type { HubHandlers } from './handlers.js';
import { machinePolicy } from './machine-policy.js';
import { DoneOnce } from './once.js';
import { OpenPages } from './open-pages.js';
import type { PageLimits } from './page.js';
import type { HubTools } from './parts.js';
import { PagePeople, type Person } from './presence.js';
import { startingDeeds } from './starting.js';
import { Watching } from './watching.js';

export interface LiveParts {
  handlers: Partial<HubHandlers>;
  pages: OpenPages;
  watching: Watching;
  people: PagePeople;
  /** Who can be called by a push, once somebody can. */
  callable(people: () => Iterable<Person>): void;
  close(): Promise<void>;
}

export function makeLive(tools: HubTools, limits: Partial<PageLimits> = {}): LiveParts {
  const { where, log, clock } = tools;
  let callable: () => Iterable<Person> = () => [];
  const idleMs = userSettings(where, {}).presence.web_idle_secs * 1000;
  const people = new PagePeople({
    now: () => clock.now(),
    idleMs,
    row: (session) => watching.rows.get(session),
    callable: () => callable(),
  });
  const cards = new Cards({ where, log });
  const watching = new Watching({ where, log, people, cardOf: (inquiry, row) => cards.of(inquiry, row) });
  const once = new DoneOnce();
  const hub = { version: where.version, name: tools.name, started_at: tools.startedAt };
  const pages = new OpenPages({ where, log, watching, people, hub, limits });
  return {
    handlers: {
      ...sessionDeeds({ where, watching }),
      ...answerDeeds({ where, watching }),
      ...startingDeeds({ where, log, watching, once }),
      policy: () => machinePolicy(where),
    },
    pages,
    watching,
    people,
    callable: (call) => {
      callable = call;
      people.tell();
    },
    async close() {
      people.close();
      await watching.close();
    },
  };
}
