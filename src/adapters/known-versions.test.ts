import { describe, expect, it } from 'vitest';
import { standingOf, triedVersions } from './known-versions.js';

describe('what is known about a version', () => {
  it.each([
    ['claude', '2.1.101 (Claude Code)', 'tried'],
    ['claude', '2.1.197 (Claude Code)', 'tried'],
    ['claude', '2.1.325 (Claude Code)', 'tried'],
    ['claude', '2.1.198 (Claude Code)', 'untried'],
    ['claude', '2.1.326 (Claude Code)', 'untried'],
    ['claude', '3.0.0 (Claude Code)', 'untried'],
    ['claude', '1.0.88', 'untried'],
    ['codex', 'codex-cli 0.165.0', 'tried'],
    ['codex', 'codex-cli 0.166.7', 'tried'],
    ['codex', 'codex-cli 0.167.0', 'untried'],
    ['codex', 'codex-cli 0.162.0-alpha.3', 'less'],
    ['codex', 'codex-cli 0.150.0', 'less'],
    ['gemini', '0.61.0', 'tried'],
    ['gemini', '0.45.1', 'tried'],
    ['gemini', '0.62.0-nightly.20261101', 'untried'],
    ['gemini', '0.50.0', 'untried'],
    ['gemini', '0.30.0', 'less'],
    ['claude', '', undefined],
    ['claude', 'dev build', undefined],
    ['kiro', '1.25.0', undefined],
    ['toString', '1.0.0', undefined],
  ])('%s %s: %s', (adapter, version, kind) => {
    expect(standingOf(adapter, version)?.kind).toBe(kind);
  });

  it('says on which side it is, and what was tried', () => {
    const reason = (version: string) => {
      const standing = standingOf('claude', version);
      return standing && 'reason' in standing ? standing.reason : undefined;
    };
    expect(reason('2.1.400')).toBe('it is newer than the versions Reins was tried with (2.1.101 to 2.1.197, 2.1.325)');
    expect(reason('2.1.200')).toContain('between');
    expect(reason('2.1.100')).toContain('older than');
    expect(triedVersions('kiro')).toBeUndefined();
  });
});
