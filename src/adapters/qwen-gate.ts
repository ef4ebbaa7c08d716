/**
 * What makes qwen-code ask over ACP (measured with 0.24.4). Its approval mode is no gate: `permissions.allow` of the
 * repository or the user comes before it. But a rule that asks comes before every rule that allows, and settings of the
 * system before everybody's; so we name a file of ours as the system's. The folder is declared untrusted, so that neither
 * settings, hooks nor MCP servers of the repository start. Surprising: no rule fits every tool, each has to be named.
 */
import { join } from 'node:path';
import type { AskingGate } from './acp-agents.js';
import type { LaunchAsk } from './adapter.js';

/** A rule for a tool also covers its relatives: `edit` all that writes files, `read_file` all that reads them. */
const ASKED = [
  ...['run_shell_command', 'exec', 'monitor', 'edit', 'write_file', 'notebook_edit', 'mcp__*', 'read_mcp_resource'],
  ...['read_file', 'grep_search', 'glob', 'list_directory', 'zoom_image', 'lsp', 'web_fetch', 'web_search'],
  ...['agent', 'workflow', 'create_sub_session', 'team_create', 'send_message', 'tool_call', 'image_gen', 'artifact'],
  ...['save_memory', 'cron_create', 'cron_delete', 'loop_wakeup', 'enter_worktree', 'exit_worktree', 'display_image'],
  ...['downsample_image', 'downscale_video', 'downsample_audio', 'extract_keyframes', 'extract_audio', 'clip_video']
    .concat(['convert_image', 'transcribe_audio', 'clip_image', 'clip_audio', 'caption_image', 'caption_audio'])
    .concat(['ocr_image', 'understand_video_segments', 'recall_media_memory'])
    .map((name) => `omni_${name}`),
];

export function qwenGate({ dir, cwd, look }: LaunchAsk): AskingGate {
  const settings = {
    path: join(dir, 'qwen-settings.json'),
    content: JSON.stringify({
      permissions: { ask: ASKED },
      tools: { approvalMode: 'default' },
      // A hook of the user's could answer, or change what was allowed.
      disableAllHooks: true,
      security: { folderTrust: { enabled: true } },
    }),
  };
  const folders = {
    path: join(dir, 'qwen-folders.json'),
    content: JSON.stringify(Object.fromEntries([cwd, look.real(cwd) ?? cwd].map((at) => [at, 'DO_NOT_TRUST']))),
  };
  return {
    pinned: { QWEN_CODE_SYSTEM_SETTINGS_PATH: settings.path, QWEN_CODE_TRUSTED_FOLDERS_PATH: folders.path },
    files: [settings, folders],
    notes: ['guarded qwen runs without MCP servers, hooks and the settings of the repository'],
  };
}
