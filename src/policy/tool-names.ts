/** One name for the same tool of different agents, so that one rule covers all of them. */

const ALIASES: Record<string, readonly string[]> = {
  Bash: [
    'bash',
    'shell',
    'local_shell',
    'shell_command',
    'run_shell_command',
    'exec_command',
    'execcommand',
    'commandexecution',
    'command_execution',
    'execute',
    'execute_bash',
    'unified_exec',
  ],
  Edit: [
    'edit',
    'write',
    'multiedit',
    'notebookedit',
    'apply_patch',
    'applypatch',
    'replace',
    'write_file',
    'edit_file',
    'create_file',
    'delete_file',
    'filechange',
    'file_change',
    'fs_write',
    'str_replace',
    'delete',
    'move',
  ],
  Read: ['read', 'read_file', 'read_many_files', 'view', 'view_image', 'fs_read', 'notebookread'],
  WebFetch: ['webfetch', 'web_fetch', 'fetch', 'read_web_page'],
  WebSearch: ['websearch', 'web_search', 'google_web_search'],
  Glob: ['glob', 'find_files'],
  Grep: ['grep', 'search', 'search_file_content', 'grep_search', 'ripgrep'],
  LS: ['ls', 'list', 'list_directory', 'list_dir'],
  TodoWrite: [
    ...['todowrite', 'todoread', 'todo_write', 'todo_read', 'write_todos', 'update_plan'],
    ...['get_goal', 'create_goal', 'update_goal', 'update_topic', 'complete_task'],
    ...['tracker_create_task', 'tracker_update_task', 'tracker_get_task', 'tracker_list_tasks'],
    ...['tracker_add_dependency', 'tracker_visualize'],
  ],
  Agent: ['invoke_agent'],
  AskUserQuestion: ['askuserquestion', 'ask_user', 'request_user_input', 'requestuserinput'],
};

/** Every name an agent may use, in lower case, with the name that rules use. */
const TOOL_NAMES: ReadonlyMap<string, string> = new Map(
  Object.entries(ALIASES).flatMap(([canonical, names]) => names.map((name) => [name, canonical] as const)),
);

/** The name rules use for a tool; a tool no agent shares with another keeps its own. */
export function canonicalTool(name: string): string {
  return TOOL_NAMES.get(name.toLowerCase()) ?? name;
}
