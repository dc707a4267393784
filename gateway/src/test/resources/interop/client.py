"""Calls a cloud at sys.argv[1] by xmlrpc.client as aggregators and publishers do, and prints what comes back."""
import sys
import xmlrpc.client

url, feed, port = sys.argv[1], sys.argv[2], int(sys.argv[3])
cloud = xmlrpc.client.ServerProxy(url + "/RPC2")
print("hello", cloud.rssCloud.hello())
print("pleaseNotify", cloud.rssCloud.pleaseNotify("river.feedUpdated", port, "/RPC2", "xml-rpc", [feed], "127.0.0.1"))
print("ping", cloud.rssCloud.ping(feed))
answer = cloud.weblogUpdates.ping("M\u00fcller's <News>", feed)
print("weblog", answer["flerror"], answer["message"])
print("methods", "rssCloud.pleaseNotify" in cloud.system.listMethods())
try:
    cloud.rssCloud.pleaseNotify("river.feedUpdated", 0, "/RPC2", "xml-rpc", [feed])
except xmlrpc.client.Fault as fault:
    print("fault", fault.faultCode, fault.faultString)
