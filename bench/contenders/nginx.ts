import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type RunningProcess, startProcess, untilListening } from '@tunnel/testkit'

/** nginx with one worker as a reverse proxy that keeps its upstream connections open. */
export async function startNginx(dir: string, port: number, upstreamPort: number): Promise<RunningProcess> {
  const config = join(dir, 'nginx.conf')
  await writeFile(config, nginxConfig(dir, port, upstreamPort))
  const nginx = await startProcess('nginx', ['-e', join(dir, 'nginx-error.log'), '-c', config])
  await untilListening(port)
  return nginx
}

/** The access log stays on, as in Debian's configuration, since ours logs each request too. */
function nginxConfig(dir: string, port: number, upstreamPort: number): string {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
  return `
daemon off;
user root;
worker_processes 1;
pid ${dir}/nginx.pid;
events { worker_connections 1024; }
http {
  ${temporary.map((name) => `${name}_temp_path ${dir}/${name};`).join('\n  ')}
  access_log ${dir}/nginx-access.log;
  upstream tunnel {
    server 127.0.0.1:${upstreamPort};
    keepalive 64;
  }
  server {
    listen 127.0.0.1:${port};
    keepalive_requests 1000000;
    location / {
      proxy_pass http://tunnel;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
      proxy_set_header Host $host;
      proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
      proxy_max_temp_file_size 0;
    }
  }
}
`
}
