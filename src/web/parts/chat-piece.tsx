/** One item of a chat, by its kind. */
import type { ChatItem } from '../model/chat-types.js';
import { Prompt, Thought, Words } from './message.js';
import { Asked, End, Line, Rule, StoppedList, TodoList } from './told.js';
import { Tool } from './tool.js';

export function ChatPiece({ item }: { item: ChatItem }) {
  switch (item.kind) {
    case 'prompt':
      return <Prompt item={item} />;
    case 'text':
      return <Words item={item} />;
    case 'thinking':
      return <Thought item={item} />;
    case 'tool':
      return <Tool item={item} draw={(inner) => <ChatPiece item={inner} />} />;
    case 'todo':
      return <TodoList item={item} />;
    case 'inquiry':
      return <Asked item={item} />;
    case 'line':
      return <Line item={item} />;
    case 'rule':
      return <Rule item={item} />;
    case 'stopped':
      return <StoppedList item={item} />;
    case 'end':
      return <End item={item} />;
  }
}
