// The tools of the recordings, as an agent would define them: the models were asked for these.

const string = { type: 'string' } as const;
const integer = { type: 'integer' } as const;
const boolean = { type: 'boolean' } as const;
const strings = { type: 'array', items: string } as const;

/** A tool with some string parameters that are required, and others. */
function tool(required: readonly string[], more: Readonly<Record<string, object>> = {}) {
  return {
    parameters: {
      type: 'object',
      properties: { ...Object.fromEntries(required.map((key) => [key, string])), ...more },
      required,
    },
  } as const;
}

const edits = { type: 'array', items: { type: 'object' } } as const;
const units = { enum: ['celsius', 'fahrenheit'] } as const;

export const recordedTools: Readonly<Record<string, ReturnType<typeof tool>>> = {
  read: tool(['path'], { offset: integer, limit: integer }),
  write: tool(['path', 'content']),
  edit: tool(['file_path', 'old_string', 'new_string'], { replace_all: boolean }),
  multi_edit: tool(['path'], { edits }),
  bash: tool(['command'], { timeout: integer, env: { type: 'object' } }),
  grep: tool(['pattern'], { path: string, glob: string, case_insensitive: boolean }),
  run_sql: tool(['query'], { params: { type: 'object' }, read_only: boolean }),
  web_search: tool(['query'], { max_results: integer, filters: { type: 'object' } }),
  send_email: tool(['to', 'subject', 'body'], { cc: string }),
  http_request: tool(['method', 'url'], { headers: { type: 'object' }, body: string }),
  apply_patch: tool(['patch']),
  todo_write: tool([], { todos: edits }),
  create_event: tool(['title', 'start', 'end'], { recurrence: { type: 'object' } }),
  create_issue: tool(['title', 'body'], { labels: strings, assignees: strings, priority: string }),
  get_weather: tool(['city'], { unit: units, days: integer }),
  translate: tool(['text', 'target'], { formal: boolean }),
};
