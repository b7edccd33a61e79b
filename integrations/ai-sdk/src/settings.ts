import { LoadAPIKeyError, LoadSettingError } from '@ai-sdk/provider';

/** Settings of `createKinora`. */
export interface KinoraProviderSettings {
  /** The project's API key, `kin_live_…` or `kin_test_…`. Default: the variable KINORA_API_KEY. */
  apiKey?: string | undefined;
  /** The address of the service, with or without `/v1`. Default: the variable KINORA_BASE_URL. */
  baseURL?: string | undefined;
  /** Extra headers of every request. */
  headers?: Record<string, string> | undefined;
  /** Replaces the platform's `fetch`. */
  fetch?: typeof globalThis.fetch | undefined;
  /**
   * The callback secret of the project (`whsec_…`). With it, a webhook that the `webhook` option receives must have a
   * valid signature; pass its body as unchanged text. Without it, a webhook only makes the provider poll the service.
   */
  webhookSecret?: string | undefined;
  /**
   * How finished videos are returned. With `bytes`, the provider downloads them with the key, which works in every
   * network. With `url`, it returns a signed URL that is valid for an hour; the AI SDK downloads it, and refuses
   * private addresses. Default: `bytes`.
   */
  delivery?: 'bytes' | 'url' | undefined;
}

/**
 * Reads the key and the address. It is called late, because importing the default provider must work without settings.
 */
export function accessOf(settings: KinoraProviderSettings): { apiKey: string; baseUrl: string } {
  const apiKey = settings.apiKey ?? fromEnvironment('KINORA_API_KEY');
  if (!apiKey) {
    throw new LoadAPIKeyError({
      message: 'There is no Kinora key. Pass apiKey to createKinora, or set KINORA_API_KEY.',
    });
  }
  const baseUrl = settings.baseURL ?? fromEnvironment('KINORA_BASE_URL');
  if (!baseUrl) {
    throw new LoadSettingError({
      message: 'There is no Kinora address. Pass baseURL to createKinora, or set KINORA_BASE_URL.',
    });
  }
  return { apiKey, baseUrl };
}

/** Reads an environment variable. Node, Bun, Deno and edge runtimes have `process.env`; browsers do not. */
function fromEnvironment(name: string): string | undefined {
  const platform = globalThis as { process?: { env?: Record<string, string | undefined> } };
  return platform.process?.env?.[name] || undefined;
}
