/**
 * The version that a rollout begins with and goes back to: the last release, or before the first one, the commit from which on
 * versions know the way back. It moves with every release.
 */
export const olderCommit = 'dc90945f13dea412e3d4b54ccb2d740a4ef3a70b';
