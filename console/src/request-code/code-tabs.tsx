import { CodeBlock } from '../design/code-block.tsx';
import { Tabs } from '../design/tabs.tsx';
import { codeOf, languages } from './request-code.ts';
import type { VideoRequest } from './video-request.ts';

/** A request in every language. */
export function CodeTabs({ request, apiUrl }: { request: VideoRequest; apiUrl: string }) {
  return (
    <Tabs
      label="Language"
      tabs={languages.map((language) => ({
        name: language,
        content: <CodeBlock code={codeOf(language, request, apiUrl)} label={`The request in ${language}`} />,
      }))}
    />
  );
}
