// A receiver of webhooks: go run receiver.go 8080 whsec_…
package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"
)

const maxBytes = 16 << 20

var key []byte

func isSigned(header http.Header, body []byte) bool {
	id, timestamp := header.Get("webhook-id"), header.Get("webhook-timestamp")
	seconds, err := strconv.ParseInt(timestamp, 10, 64)
	if err != nil || id == "" || time.Since(time.Unix(seconds, 0)).Abs() > 5*time.Minute {
		return false // incomplete, or a replayed message
	}
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(id + "." + timestamp + "."))
	mac.Write(body)
	expected := []byte("v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil)))
	for _, signature := range strings.Split(header.Get("webhook-signature"), " ") {
		if hmac.Equal([]byte(signature), expected) {
			return true
		}
	}
	return false
}

func receive(writer http.ResponseWriter, request *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(writer, request.Body, maxBytes))
	if err != nil || !isSigned(request.Header, body) {
		writer.WriteHeader(http.StatusUnauthorized)
		return
	}
	var document struct {
		Type  string
		Items []struct{ Title string }
	}
	if err := json.Unmarshal(body, &document); err != nil {
		writer.WriteHeader(http.StatusBadRequest)
		return
	}
	if document.Type == "endpoint.verification" {
		writer.Write(body) // the body has the challenge
		return
	}
	// A retry has the same id: skip an id that you have seen.
	for _, item := range document.Items {
		fmt.Println(request.Header.Get("webhook-id"), document.Type, item.Title)
	}
	writer.WriteHeader(http.StatusNoContent)
}

func main() {
	var err error
	key, err = base64.StdEncoding.DecodeString(strings.TrimPrefix(os.Args[2], "whsec_"))
	if err != nil {
		log.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:"+os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("ready")
	log.Fatal(http.Serve(listener, http.HandlerFunc(receive)))
}
