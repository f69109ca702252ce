import { CopyOutlined } from '@ant-design/icons';
import { Button } from 'antd';
import { copy } from '../../copy.js';

/** Copies what stands next to it; `label` says what that is. */
export function CopyButton({ text, label }: { text: string; label: string }) {
  return (
    <Button
      type="text"
      size="small"
      icon={<CopyOutlined aria-hidden />}
      aria-label={label}
      onClick={() => copy(text)}
    />
  );
}
