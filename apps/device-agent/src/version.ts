/** Version of this agent; the build and a test keep it equal to package.json. */
export const agentVersion = '0.1.0'
